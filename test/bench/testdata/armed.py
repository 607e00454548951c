"""Lifecycle nodes of one process that can be armed, and that note the time of each disarm, requested or their own.

armed.py PREFIX COUNT [COORDINATOR] makes /PREFIX_1, /PREFIX_2, … with a SetBool at ~/arm, a Trigger at ~/check and a topic
~/joints. With a coordinator they follow its lease. The nodes share one thread; slow callbacks have threads of their own.
All times are of CLOCK_MONOTONIC.
"""
import os
import sys
import threading
import time

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Int32
from std_srvs.srv import SetBool, Trigger

from peer import now, serve

RATE = 50.0  # Hz, of ~/joints
CYCLE = 0.02  # s: how often a node checks its lease


def steady(wall):
    """The time of a writer's stamp, which is by the wall clock."""
    return wall + now() - time.time_ns()


class Armed(LifecycleNode):
    def __init__(self, name, group):
        super().__init__(name)
        self.group = group
        self.armed, self.held, self.disarms, self.left = False, False, [], 0
        self.armed_at = 0  # when it was armed last
        self.calls = self.inside = 0  # to arm or disarm; of those to arm that have not returned
        beside = ReentrantCallbackGroup() if group.slow else None
        service = self.create_service(SetBool, "~/arm", self.on_arm, callback_group=beside)
        send = service.send_response

        def send_response(response, header):
            if response.message:
                self.disarms[int(response.message)]["sent"] = steady(header.source_timestamp)
            send(response, header)

        service.send_response = send_response
        self.change = self._service_change_state.callback
        self._service_change_state.callback = self.on_change
        self.create_service(Trigger, "~/check", self.on_check, callback_group=beside)
        self.joints = Node.create_publisher(self, Int32, "~/joints", 10)  # unlike a lifecycle publisher, not silent unless active
        if group.coordinator:
            from rstate.arm_lease import ArmLease
            from rstate_msgs.msg import ArmLease as Message

            newest = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
            self.lease = ArmLease()
            self.create_subscription(Message, group.coordinator + "/arm_lease", self.on_lease, newest)
            self.create_timer(CYCLE, self.on_cycle)

    def on_lease(self, message):
        self.lease.take(now(), message)

    def on_cycle(self):
        at, held = now(), self.held
        self.held = self.armed and self.lease.holds(at)  # the call to arm may overtake the first message of its lease
        if held and self.armed and not self.held:
            self.armed = False
            self.disarms.append({"begun": at, "sent": at})

    def on_arm(self, request, response):
        self.calls += 1
        call = self.calls
        if not request.data:
            self.armed, response.success = False, True
            self.disarms.append({"begun": now(), "sent": 0})  # the answer sets the time of sending
            response.message = str(len(self.disarms) - 1)
            return response
        self.inside += 1
        if self.group.arming:
            time.sleep(self.group.arming)
        self.inside -= 1
        response.success = call == self.calls
        if response.success and not self.armed:
            self.armed, self.armed_at = True, now()
        return response

    def on_check(self, _, response):
        began = now()
        while now() - began < self.group.checking * 1e9:
            time.sleep(0.02)
        response.success = self.group.passes
        return response

    def on_change(self, request, response):
        """Notes the time of the request: other nodes learn of the transition before its callback begins."""
        self.left = now()
        return self.change(request, response)


class Group:
    def __init__(self, prefix, count, coordinator="", slow=""):
        self.coordinator, self.slow = coordinator, bool(slow)
        self.arming = self.checking = 0.0
        self.passes = True
        self.button, self.pressed = None, False
        count = int(count)
        self.executor = MultiThreadedExecutor(2 * count) if slow else SingleThreadedExecutor()
        self.nodes = [Armed(f"{prefix}_{i + 1}", self) for i in range(count)]
        self.timer = None
        self.pace(RATE)
        for node in self.nodes:
            self.executor.add_node(node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def clock(self):
        return now()

    def signal(self, pid, number):
        """Sends a signal, and returns the time."""
        at = now()
        os.kill(pid, number)
        return at

    def pace(self, rate):
        """Changes the rate of the first node's topic. With 0 it goes silent."""
        first = self.nodes[0]
        if self.timer:
            first.destroy_timer(self.timer)
            self.timer = None
        if rate:
            self.timer = first.create_timer(1.0 / rate, lambda: first.joints.publish(Int32()))
        return now()

    def check(self, passes):
        """Sets whether the checks pass from now on."""
        self.passes = passes
        return now()

    def press(self, on):
        """Presses the stop button /PREFIX_1/estop, or releases it. It repeats its value 20 times a second."""
        first = self.nodes[0]
        self.pressed = on
        if not self.button:
            self.button = Node.create_publisher(first, Bool, "~/estop", 10)
            first.create_timer(0.05, lambda: self.button.publish(Bool(data=self.pressed)))
        at = now()
        self.button.publish(Bool(data=on))
        return at

    def takes(self, arming, checking):
        """Sets how long a call to arm, and a check, take from now on."""
        self.arming, self.checking = arming, checking
        return now()

    def disarmed(self, since):
        """The first disarm of each node after a moment; zeros if there was none yet."""
        return [next((d for d in list(n.disarms) if d["begun"] >= since), {"begun": 0, "sent": 0}) for n in self.nodes]

    def armed(self):
        return [n.armed for n in self.nodes]

    def armed_at(self, at):
        """Whether each was armed at a moment shortly before: armed since then, or disarmed after it."""
        return [0 < n.armed_at <= at and not any(n.armed_at <= d["begun"] < at for d in list(n.disarms)) for n in self.nodes]

    def inside(self):
        """How many calls to arm are running."""
        return sum(n.inside for n in self.nodes)

    def left(self):
        """When the newest request to leave a state reached one of the nodes."""
        return max(n.left for n in self.nodes)

    def close(self):
        self.executor.shutdown(timeout_sec=0)


serve(lambda: Group(*sys.argv[1:]))
