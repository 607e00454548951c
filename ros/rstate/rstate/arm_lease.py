"""The arithmetic of the arm lease: a node that uses it does not stay armed if its coordinator dies.

It needs no ROS, reads no clock, and starts nothing. The tests use the same vectors as the tests of the coordinator.

    lease = ArmLease()
    on each message of ~/arm_lease:     lease.take(time.monotonic_ns(), message)
    when told to arm:                   armed = lease.holds(time.monotonic_ns())    # and answer with that
    when told to disarm:                armed = False
    every 20 ms, and before each move:  if armed and not lease.holds(time.monotonic_ns()): armed = False; …

A lease that has ended does not become valid again, so only the next call arms the node again. Use an object in one thread
only.
"""
from collections import deque

WINDOW = 10_000_000_000  # how long the time of the fastest message is kept
REMEMBERED = 64  # how many ended terms are kept
ENOUGH, LONG_ENOUGH = 3, 150_000_000  # an instance lives if it has sent this many messages, over at least this time


class _Source:
    """An instance that sends messages of a lease."""

    def __init__(self, instance=""):
        self.instance = instance
        self.term = self.seq = self.proved = self.valid = 0  # of its newest message
        self.since = self.heard = 0  # receipt of the first, and how many there were
        self.ways = deque()  # (receipt, receipt - proof): candidates for the fastest message, the slowest last

    def hear(self, at, m):
        """Process a message, unless it is older than the newest one."""
        if not self.heard:
            self.since = at
        elif (m.term, m.seq) <= (self.term, self.seq):
            return False
        self.term, self.seq, self.proved, self.valid = m.term, m.seq, m.proved_ns, m.valid_ns
        self.heard += 1
        took = at - m.proved_ns
        while self.ways and self.ways[-1][1] >= took:
            self.ways.pop()
        self.ways.append((at, took))
        while at - self.ways[0][0] > WINDOW:
            self.ways.popleft()
        return True

    def lives(self, at):
        return self.heard >= ENOUGH and at - self.since >= LONG_ENOUGH

    def ends(self):
        return self.proved + self.ways[0][1] + self.valid


class ArmLease:
    """Computes the end of the lease from its messages. All times are nanoseconds of this machine's steady clock.

    A lease belongs to one instance. The delay of the first message of another instance is unknown, so that message never
    extends a valid lease. The other instance takes the lease over when it has sent enough messages and the first one is
    silent.
    """

    def __init__(self):
        self.ends = 0  # when the newest lease ends, or ended
        self._now, self._next = _Source(), _Source()  # whose lease it is, and another that has spoken since
        self._lapsed = False  # the newest lease has run out
        self._ended = deque(maxlen=REMEMBERED)  # (instance, term) that are over

    def take(self, at, message):
        """Process a message (an ArmLease, or an object with its fields) that was received at a moment; return whether it counts.

        A message does not count if it is old, if its term has ended, or if its instance has sent too few messages while the
        lease of another is valid.
        """
        held = self.holds(at)  # what has run out by now is over, whatever this message says
        m, other = message, message.instance_id != self._now.instance
        if not m.instance_id or m.valid_ns <= 0 or (m.instance_id, m.term) in self._ended:
            return False
        if other and m.instance_id != self._next.instance:
            self._next = _Source(m.instance_id)
        source = self._next if other else self._now
        if not source.hear(at, m):
            return False
        if other and held and not source.lives(at):
            self.ends = min(self._now.ends(), source.ends())
            self.holds(at)
            return False
        if other and held:
            self._end()
        self._now, self._next, self._lapsed = source, _Source(), False
        self.ends = source.ends()
        self.holds(at)  # it may have been too long on its way
        return True

    def holds(self, at):
        """Says whether there is a lease that has not run out. One that has is over for good."""
        if not self._now.instance or self._lapsed:
            return False
        if at < self.ends:
            return True
        self._lapsed = True
        self._end()
        return False

    def _end(self):
        self._ended.append((self._now.instance, self._now.term))
