"""Feeds ArmLease what comes on stdin, a line for each step, and writes what it makes of it."""
import sys
from types import SimpleNamespace

from rstate.arm_lease import ArmLease

lease = ArmLease()
for line in sys.stdin:
    what, at, *rest = line.split()
    taken = False
    if what == "new":
        lease = ArmLease()
    elif what == "take":
        term, seq, proved, valid = map(int, rest[:4])
        taken = lease.take(int(at), SimpleNamespace(
            instance_id="".join(rest[5:]), term=term, seq=seq, proved_ns=proved, valid_ns=valid), rest[4])
    print(int(taken), int(lease.holds(int(at))), lease.ends)
