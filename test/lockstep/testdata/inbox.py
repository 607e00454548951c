"""Tests of whose message a SteppedNode takes one for, with a subscription that the test plays."""
import unittest

from rstate.stepped import _Inbox


class Subscription:
    """A subscription of /in; waiting are the GIDs of its messages."""

    topic_name, msg_type, raw = "/in", None, False

    def __init__(self):
        self.handle, self.matched, self.waiting = self, 1, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def get_publisher_count(self):
        return self.matched

    def take_message(self, *_):
        return ("message", {"publisher_gid": self.waiting.pop(0)}) if self.waiting else None


class InboxTest(unittest.TestCase):

    def setUp(self):
        self.subscription = Subscription()
        self.box = _Inbox(self.subscription, None)

    def zero(self, *publishers, known=(b"1", b"2")):
        return self.box.zero(dict(zip(known, publishers)), publishers)

    def of(self, gid, matched=1):
        self.subscription.matched = matched
        self.subscription.waiting.append(gid)
        return self.box.take()[1]

    def test_messages_carry_the_gid_of_the_graph(self):
        self.zero("/driver")
        self.assertEqual([self.of(g) for g in (b"1", b"9", b"1")], ["/driver", "", "/driver"])
        self.zero("/driver")
        self.assertEqual(self.of(b"9"), "")

    def test_they_carry_another_one(self):
        self.zero("/driver")
        self.assertEqual([self.of(b"7", 2), self.of(b"7"), self.of(b"9"), self.of(b"7", 2)], ["", "/driver", "", "/driver"])
        self.assertFalse(self.box.untold)
        self.subscription.matched = 1
        self.zero("/driver")
        self.assertEqual(self.of(b"8"), "/driver")

    def test_a_stranger_comes_first(self):
        self.zero("/driver")
        self.of(b"9")
        self.assertEqual([self.of(b"1"), self.of(b"9")], ["/driver", ""])

    def test_one_of_several(self):
        for gid, of, untold in (b"7", "", True), (b"2", "/pilot", False):
            self.setUp()
            self.subscription.matched = 2
            self.zero("/driver", "/pilot")
            self.assertEqual([self.of(gid, 2), self.of(b"9", 2)], [of, ""])
            self.assertEqual(self.box.untold, untold)
            self.of(b"1", 2)
            self.assertFalse(self.box.untold)

    def test_zero_with_a_stranger(self):
        for matched, why in (1, ""), (2, "/in is matched with 2 publishers, and only that of /driver counts"):
            self.subscription.matched = matched
            self.assertEqual(self.zero("/driver"), why)


unittest.main()
