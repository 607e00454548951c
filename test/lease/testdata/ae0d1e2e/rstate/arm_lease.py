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
SOURCES = 64  # how many sources are known
PAUSE = 150_000_000  # for how long after the end of one source's lease another source's does not count
MOST, JUMP = 1 << 48, 1 << 32  # the greatest term or number, and how far a term may be above the one before
LONGEST = 1 << 61  # the greatest time


def _sane(m):
    """Tell whether a daemon may have sent the message."""
    return bool(m.instance_id) and m.term <= MOST and m.seq <= MOST and 0 <= m.proved_ns <= LONGEST and 0 < m.valid_ns <= LONGEST


class _Source:
    """An instance, with one writer, that sends messages of a lease."""

    def __init__(self):
        self.term = self.seq = self.proved = self.valid = 0  # of its newest message
        self.ways = deque()  # (receipt, receipt - proof): candidates for the fastest message, the slowest last
        self.lapsed, self.seen = False, 0  # the newest term has run out, and when that was seen

    def take(self, at, m):
        """Process a message, unless it is old or of a term that is over."""
        self.holds(at)  # what has run out by now is over, whatever this message says
        old = m.term == self.term and (self.lapsed or m.seq <= self.seq)
        if not _sane(m) or self.ways and (m.term < self.term or m.term - self.term > JUMP or old):
            return False
        self.term, self.seq, self.proved, self.valid, self.lapsed = m.term, m.seq, m.proved_ns, m.valid_ns, False
        took = at - m.proved_ns
        while self.ways and self.ways[-1][1] >= took:
            self.ways.pop()
        self.ways.append((at, took))
        while at - self.ways[0][0] > WINDOW:
            self.ways.popleft()
        self.holds(at)  # it may have been too long on its way
        return True

    def ends(self):
        return self.proved + self.ways[0][1] + self.valid

    def holds(self, at):
        if self.ways and not self.lapsed and at >= self.ends():
            self.lapsed, self.seen = True, at
        return bool(self.ways) and not self.lapsed


class ArmLease:
    """Computes the end of the lease from its messages. All times are nanoseconds of this machine's steady clock.

    A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it. Which
    of several sources armed the node is unknown, so the lease is valid only until the first of them ends. Then it is not valid
    for PAUSE, whatever the others say.
    """

    def __init__(self):
        self.ends = 0  # when the lease ends, or ended
        self.lapses = 0  # how many leases have ended: compare it with its value at arming if your process may be suspended
        self._sources = {}  # (instance, writer): _Source; the one that was heard last is the last
        self._evicted = 0  # when a source with a valid lease was forgotten

    def take(self, at, message, writer=""):
        """Process a message (an ArmLease, or an object with its fields) that was received at a moment; return whether it counts.

        writer identifies the publisher, if the middleware tells it: without it, another publisher can extend the lease in the
        name of its instance. A message does not count if it is old, if its term has ended, or if no daemon can have sent it.
        """
        self._look(at)
        whose = (message.instance_id, writer)
        source = self._sources.get(whose) or _Source()
        taken = source.take(at, message)
        if taken:
            if source.lapsed:
                self._lapse(source)
            if whose not in self._sources and len(self._sources) == SOURCES:
                del self._sources[self._forget(at)]
            self._sources.pop(whose, None)
            self._sources[whose] = source
        self.holds(at)
        return taken

    def _forget(self, at):
        """Choose a source to forget. Forgetting a valid lease counts as its end, because its end will not be seen."""
        for whose, source in self._sources.items():
            if source.lapsed:
                return whose
        self._evicted = self.ends = at
        self.lapses += 1
        return next(iter(self._sources))

    def _lapse(self, source):
        self.lapses += 1
        self.ends = source.ends()

    def _look(self, at):
        for source in self._sources.values():
            if not source.lapsed and not source.holds(at):
                self._lapse(source)

    def holds(self, at):
        """Says whether there is a lease that has not run out. One that has is over for good."""
        self._look(at)
        valid = [s for s in self._sources.values() if not s.lapsed]
        ended = [s for s in self._sources.values() if s.lapsed and at < s.seen + PAUSE]
        if not valid or self._evicted and at < self._evicted + PAUSE or ended:
            # A source that begins a new term itself is not in ended: it has not lapsed any more.
            return False
        self.ends = min(s.ends() for s in valid)
        return True
