"""The arithmetic of the arm lease: a node that uses it does not stay armed if its coordinator dies.

It needs no ROS, reads no clock, and starts nothing. The tests use the same vectors as the tests of the coordinator.

    lease = ArmLease()
    on each message of ~/arm_lease:     lease.take(time.monotonic_ns(), message)
    when told to arm:                   armed, lapses = lease.holds(time.monotonic_ns()), lease.lapses
    when told to disarm:                armed = False
    every 20 ms, and before each move:  if armed and not (lease.holds(time.monotonic_ns()) and lease.lapses == lapses):
                                            armed = False; …

Answer a call to arm with what holds() says. If it says no, wait a second for it, as leased_node.py does: the first lease of
a coordinator that was just heard holds from its second or third message on, a fifth of a second later.

The timer that looks must be steady: one of ROS time stands still with /clock. In rclpy:

    node.create_timer(0.02, look, clock=Clock(clock_type=ClockType.STEADY_TIME))

Take a message within 50 ms. A lease that has ended does not become valid again, so only the next call arms the node again.
lapses tells of an end while the process was suspended. Use an object in one thread only.
"""
from collections import deque

WINDOW = 10_000_000_000  # for how long two messages that agree vouch for the distance of the clocks
EVERY = 100_000_000  # the least time between two messages of a term
APART, WITHIN = 100_000_000, 50_000_000  # how far two messages that agree are apart, and by how much they may differ
DRIFT = 1000  # the part of a second by which two steady clocks go apart in one
STEPS = 1000  # how many numbers may be missing between two messages that are compared
SOURCES = 64  # how many sources are known
PAUSE = 150_000_000  # for how long after the end of one source's lease another source's does not count
MOST, JUMP = 1 << 48, 1 << 32  # the greatest term or number, and how far a term may be above the one before
LONGEST = 1 << 61  # the greatest time


def _sane(m):
    """Tell whether a daemon may have sent the message."""
    return bool(m.instance_id) and m.term <= MOST and m.seq <= MOST and 0 <= m.proved_ns <= LONGEST and 0 <= m.valid_ns <= LONGEST


def _idle(m):
    """Tell whether a daemon says that it holds no lease. Such a message begins, ends and pauses nothing."""
    return m.valid_ns == 0 and _sane(m)


class _Source:
    """An instance, with one writer, that sends messages of a lease.

    The lease ends at proved + valid + the distance of the two clocks. Receipt minus departure is that distance plus the time
    that the message took, so the smallest one counts. It counts only while two messages agree: they were received as far
    from each other as they were sent. Messages that waited for a suspended process come faster. Until then the source gives
    no lease.
    """

    def __init__(self):
        self.leased = False  # it has ever said that it holds a lease
        self.term = self.seq = self.proved = self.valid = 0  # of its newest message of a lease
        self.way = None  # (receipt, receipt - departure), the smallest one
        self.idles, self.said = deque(maxlen=4), deque(maxlen=4)  # (receipt, departure from any moment) of each kind
        self.beat = self.left = 0  # the departure, counted in steps of EVERY, and the earliest by the sender's clock
        self.agreed = None  # when two messages agreed last
        self.ends = 0
        self.gives = self.lapsed = False  # the newest term ends by a distance that is vouched for; it has run out

    def take(self, at, m):
        """Process a message, unless it is old or of a term that is over; return whether it counts."""
        self.holds(at)  # what has run out by now is over, whatever this message says
        if _idle(m):
            self.note(self.idles, at, m.proved_ns, at - m.proved_ns)
            return False
        if not _sane(m) or self.leased and (m.term < self.term or m.term - self.term > JUMP):
            return False
        if self.leased and m.term == self.term:
            if self.lapsed or m.seq <= self.seq:
                return False
            self.follow(m)
        else:
            self.begin(m)
            self.gives = False
        self.leased, self.lapsed = True, False
        self.term, self.seq, self.proved, self.valid = m.term, m.seq, m.proved_ns, m.valid_ns
        self.note(self.said, at, self.beat, at - self.left)
        if self.agreed is not None and at - self.agreed <= WINDOW:
            self.ends, self.gives = self.proved + self.distance(at) + self.valid, True
        elif not self.gives:
            self.ends = at + self.valid  # it cannot be later
        self.holds(at)  # it may have been too long on its way
        return True

    def begin(self, m):
        self.said.clear()
        self.beat, self.left = 0, m.proved_ns

    def follow(self, m):
        """Count on: a message left no earlier than its proof was made, and than the one before it and EVERY."""
        steps = m.seq - self.seq
        if steps > STEPS or self.beat > LONGEST or self.left > LONGEST:
            self.begin(m)
            return
        self.beat, self.left = self.beat + steps * EVERY, max(m.proved_ns, self.left + steps * EVERY)

    def note(self, pace, at, left, took):
        if self.way is None or took <= self.distance(at):
            self.way = (at, took)
        if any(at - a >= APART and abs((at - a) - (left - b)) <= WITHIN for a, b in pace):
            self.agreed = at
        pace.append((at, left))

    def distance(self, at):
        """The smallest way is not forgotten, because all later messages may wait. It grows as the clocks may go apart."""
        return self.way[1] + max(0, at - self.way[0]) // DRIFT

    def holds(self, at):
        self.lapsed = self.lapsed or self.leased and at >= self.ends
        return self.leased and not self.lapsed


class ArmLease:
    """Computes the end of the lease from its messages. All times are nanoseconds of this machine's steady clock.

    A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it. Which
    of several sources armed the node is unknown, so the lease is valid only until the first of them ends, also if that one
    does not give a lease yet. Then it is not valid for PAUSE, whatever the others say.
    """

    def __init__(self):
        self.ends = 0  # when the lease ends, or ended
        self.lapses = 0  # how many leases have ended: compare it with its value at arming if your process may be suspended
        self._sources = {}  # (instance, writer): _Source; the one that was heard last is the last
        self._evicted = 0  # when a source with a valid lease was forgotten

    def take(self, at, message, writer=""):
        """Process a message (an ArmLease, or an object with its fields) that was received at a moment; return whether it counts.

        writer identifies the publisher, if the middleware tells it: without it, another publisher can extend the lease in the
        name of its instance. A message does not count if it is old, if its term has ended, if it says that no lease is held,
        or if no daemon can have sent it.
        """
        self._look(at)
        whose = (message.instance_id, writer)
        source = self._sources.get(whose) or _Source()
        taken = source.take(at, message)
        if taken or _idle(message):
            if taken and source.lapsed:
                self._lapse(source)
            if whose in self._sources or len(self._sources) < SOURCES or self._forget(at, taken):
                self._sources.pop(whose, None)
                self._sources[whose] = source
        self.holds(at)
        return taken

    def _forget(self, at, leased):
        """Forget a source without a valid lease, else for a lease the first one: its end will not be seen, so it is over now."""
        whose = next((w for w, s in self._sources.items() if not s.holds(at)), None)
        if whose is None and leased:
            self._evicted = self.ends = at
            self.lapses += 1
            whose = next(iter(self._sources))
        if whose is not None:
            del self._sources[whose]
        return whose is not None

    def _lapse(self, source):
        self.lapses += 1
        self.ends = source.ends

    def _look(self, at):
        for source in self._sources.values():
            if source.leased and not source.lapsed and not source.holds(at):
                self._lapse(source)

    def holds(self, at):
        """Says whether there is a lease that has not run out. One that has is over for good."""
        self._look(at)
        leases = [s for s in self._sources.values() if s.leased]
        # A source that begins a new term itself has not lapsed any more.
        paused = any(s.lapsed and at < s.ends + PAUSE for s in leases)
        valid = [s for s in leases if not s.lapsed]
        if paused or self._evicted and at < self._evicted + PAUSE or not any(s.gives for s in valid):
            return False
        self.ends = min(s.ends for s in valid)
        return True
