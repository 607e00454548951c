"""What a node has to do that must not stay armed when its coordinator is gone: the arithmetic of the arm lease.

It needs no ROS, reads no clock of its own accord, starts nothing, and is tested with the vectors that the coordinator's own
arithmetic is tested with.

    lease = ArmLease()
    on each message of ~/arm_lease:     lease.take(time.monotonic_ns(), message)
    when told to arm:                   armed = lease.holds(time.monotonic_ns())    # and answer with that
    when told to disarm:                armed = False
    every 20 ms, and before each move:  if armed and not lease.holds(time.monotonic_ns()): armed = False; …

A lease that has ended does not come back, so `armed` falls with it and rises with the next call only. An object is one
thread's.
"""
from collections import deque

WINDOW = 10_000_000_000  # for how long it is remembered how fast a message can be
REMEMBERED = 64  # so many terms that have run out are known


class ArmLease:
    """Works out when the lease ends that it is told of. All times are nanoseconds of this machine's steady clock."""

    def __init__(self):
        self.instance = ""  # of the newest message that counted; empty: there is none
        self.term = self.seq = 0
        self.ends = 0  # when the newest lease ends, or ended
        self.lapsed = False  # the newest lease has run out
        self._ways = deque()  # (receipt, receipt - proof): candidates for the fastest message, the slowest last
        self._ended = deque(maxlen=REMEMBERED)  # (instance, term) that have run out

    def take(self, at, message):
        """Takes a message (an ArmLease, or what has its fields) that was received at a moment; says whether it counts.

        What is old, of a term that has run out, or of another instance whose term is not above a lease that holds, does
        not.
        """
        self.holds(at)  # what has run out by now is over, whatever this message says
        m, same = message, message.instance_id == self.instance
        if not m.instance_id or m.valid_ns <= 0 or (m.instance_id, m.term) in self._ended:
            return False
        if same and (m.term, m.seq) <= (self.term, self.seq):
            return False
        if not same and self.instance and not self.lapsed and m.term <= self.term:
            return False
        if not same:
            self._ways.clear()  # another sender's clock
        self._note(at, at - m.proved_ns)
        self.instance, self.term, self.seq, self.lapsed = m.instance_id, m.term, m.seq, False
        self.ends = m.proved_ns + self._ways[0][1] + m.valid_ns
        self.holds(at)  # it may have been too long on its way
        return True

    def _note(self, at, took):
        """Keeps the fastest message of the window in front."""
        while self._ways and self._ways[-1][1] >= took:
            self._ways.pop()
        self._ways.append((at, took))
        while at - self._ways[0][0] > WINDOW:
            self._ways.popleft()

    def holds(self, at):
        """Says whether there is a lease that has not run out. One that has is over for good."""
        if not self.instance or self.lapsed:
            return False
        if at < self.ends:
            return True
        self.lapsed = True
        self._ended.append((self.instance, self.term))
        return False
