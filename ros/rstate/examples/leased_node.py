#!/usr/bin/env python3
"""A lifecycle node that can be armed, and disarms by itself if its coordinator dies.

    ros2 run rstate leased_node.py --ros-args -r __node:=arm_driver -p coordinator:=/rstate

It is armed only while both hold: a call has armed it, and the arm lease is valid. Its line in the network file:

    /arm_driver: {arm: {service: /arm_driver/arm, dead_man: lease}}
"""
import time

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from rstate_msgs.msg import ArmLease as ArmLeaseMessage
from std_srvs.srv import SetBool

from rstate.arm_lease import ArmLease

CYCLE = 0.02  # s: how often the node looks whether it may still be armed
FIRST_LEASE_IN = 1.0  # s: the call to arm may overtake its lease, which may hold from its third message on only


class LeasedNode(LifecycleNode):

    def __init__(self):
        super().__init__("leased_node")
        self.active = self.armed = False
        self.lease = ArmLease()
        self.lapses = 0  # of the lease, when the node was armed
        self.calls = 0  # to arm or disarm
        self.waits = None  # done when a lease holds, or a call to arm has waited for it long enough
        # The node's own clock may be ROS time, which stands still with /clock. This one does not.
        self.steady = Clock(clock_type=ClockType.STEADY_TIME)
        coordinator = self.declare_parameter("coordinator", "/rstate").value
        # What is late is of no use, so nothing is sent again. The queue is long because anyone may publish on the topic.
        newest = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
        self.create_subscription(ArmLeaseMessage, coordinator + "/arm_lease", self.on_lease, newest)
        # A disarm has to come through while a call to arm waits.
        self.create_service(SetBool, "~/arm", self.on_arm, callback_group=ReentrantCallbackGroup())
        self.create_timer(CYCLE, self.on_cycle, clock=self.steady)

    def leased(self):
        return self.lease.holds(time.monotonic_ns())

    def on_lease(self, message, info):
        self.lease.take(time.monotonic_ns(), message, str(info.get("publisher_gid")))

    async def on_arm(self, request, response):
        if not request.data:
            self.disarm("it was told to")
            response.success, response.message = True, "disarmed"
            return response
        self.calls += 1
        call = self.calls
        if self.active and not self.leased():
            await self.first_lease()
        if call != self.calls:
            response.message = "superseded"
        elif not self.active:
            response.message = "not active"
        elif not self.leased():
            response.message = "no arm lease holds"
        else:
            self.armed, self.lapses = True, self.lease.lapses
            response.success, response.message = True, "armed"
        self.get_logger().info("armed" if response.success else "not armed: " + response.message)
        return response

    async def first_lease(self):
        """Waits until a lease holds, for a while."""
        waits = self.waits = Future()
        timer = self.create_timer(FIRST_LEASE_IN, lambda: waits.done() or waits.set_result(None), clock=self.steady)
        await waits
        self.destroy_timer(timer)

    def on_cycle(self):
        # A process that was suspended may find another lease that holds: that one did not arm it.
        if self.armed and not (self.leased() and self.lease.lapses == self.lapses):
            self.disarm("its lease has ended")
        if self.waits and not self.waits.done() and self.leased():
            self.waits.set_result(None)
        if self.armed:
            pass  # here it moves something

    def disarm(self, why):
        """Everything that leads out of armed leads through here. A call to arm that still waits is void."""
        self.calls += 1
        if self.armed:
            self.armed = False  # and takes the power from whatever moves
            self.get_logger().warning("disarmed: " + why)

    def leave(self, why):
        self.active = False
        self.disarm(why)
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        self.active = True
        return super().on_activate(state)

    def on_deactivate(self, state):
        self.leave("it is deactivated")
        return super().on_deactivate(state)

    def on_cleanup(self, state):
        return self.leave("it is cleaned up")

    def on_shutdown(self, state):
        return self.leave("it is shut down")

    def on_error(self, state):
        return self.leave("it erred")


def main():
    rclpy.init()
    node = LeasedNode()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.disarm("its process ends")
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
