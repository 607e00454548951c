"""A lifecycle node that can be armed, and that says when it becomes armed and when it is disarmed again.

node.py NAME [COORDINATOR] makes the node with a SetBool at NAME/arm. With a coordinator it follows that one's lease. A line
"takes 0.05" on its input sets how many seconds it takes to arm. It obeys docs/arming.md, "What a node must do".
"""
import sys
import threading
import time

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from rstate_msgs.msg import ArmLease as Message
from std_srvs.srv import SetBool

from rstate.arm_lease import ArmLease
from speak import now, serve

CYCLE = 0.02  # s: how often the node looks at its lease
FIRST_LEASE_IN = 1.0  # s: the call to arm may overtake the first message of its lease


class Armable(LifecycleNode):
    def __init__(self, speaker, name, coordinator=""):
        namespace, _, base = name.rpartition("/")
        super().__init__(base, namespace=namespace or "/")
        self.speaker, self.takes = speaker, 0.0
        self.lock = threading.Lock()  # guards what follows: the lease is looked at in a thread of its own
        self.active = self.armed = False
        self.calls = 0  # to arm or disarm, and ways out of active
        self.lease = ArmLease() if coordinator else None
        self.lapses = 0  # of the lease, when the node was armed
        self.heard = Future()  # done when a lease holds that a call to arm waits for
        self.create_service(SetBool, name + "/arm", self.on_arm, callback_group=ReentrantCallbackGroup())
        if coordinator:
            newest = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
            self.create_subscription(Message, coordinator + "/arm_lease", self.on_lease, newest)
            threading.Thread(target=self.look, daemon=True).start()

    def set(self, armed, why):
        """Changes the truth, with the lock held."""
        if armed != self.armed:
            self.armed = armed
            self.speaker.say(what="armed" if armed else "disarmed", at=now(), why=why)

    def leased(self):
        return self.lease is None or self.lease.holds(now())

    def on_lease(self, message, info):
        with self.lock:
            self.lease.take(now(), message, str(info.get("publisher_gid")))
            holds = self.leased()
        if holds and not self.heard.done():
            self.heard.set_result(None)

    def look(self):
        while True:
            time.sleep(CYCLE)
            with self.lock:
                if self.armed and not (self.leased() and self.lease.lapses == self.lapses):
                    self.calls += 1
                    self.set(False, "its lease has ended")

    async def on_arm(self, request, response):
        if not request.data:
            self.disarm("it was told to")
            response.success = True
            return response
        with self.lock:
            self.calls += 1
            call, waits = self.calls, not self.leased()
        if waits:
            await self.wait(FIRST_LEASE_IN, until_heard=True)
        if self.takes:
            await self.wait(self.takes)
        with self.lock:
            if call != self.calls:
                response.message = "superseded"
            elif not self.active:
                response.message = "not active"
            elif not self.leased():
                response.message = "no arm lease holds"
            else:
                self.lapses = self.lease.lapses if self.lease else 0
                self.set(True, "it was told to")
                response.success = True
        return response

    async def wait(self, seconds, until_heard=False):
        over = Future()
        if until_heard:
            self.heard = over
        timer = self.create_timer(seconds, lambda: over.done() or over.set_result(None))
        await over
        self.destroy_timer(timer)

    def disarm(self, why):
        with self.lock:
            self.calls += 1
            self.set(False, why)

    def leave(self, why):
        with self.lock:
            self.active = False
        self.disarm(why)
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        with self.lock:
            self.active = True
        return super().on_activate(state)

    def on_deactivate(self, state):
        self.leave("it is deactivated")
        return super().on_deactivate(state)

    def on_cleanup(self, state):
        return self.leave("it is cleaned up")

    def on_shutdown(self, state):
        self.leave("it is shut down")
        self.speaker.say(what="finalized", at=now(), why="it is shut down")
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state):
        return self.leave("it erred")


def told(node, line):
    word, _, seconds = line.partition(" ")
    if word == "takes":
        node.takes = float(seconds)


serve(lambda speaker: Armable(speaker, *sys.argv[1:]), told)
