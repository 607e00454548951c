#!/usr/bin/env python3
"""A lifecycle node that can be armed, and disarms by itself if its coordinator dies.

    ros2 run rstate leased_node.py --ros-args -r __node:=arm_driver -p coordinator:=/rstate

It is armed only while both hold: a call has armed it, and the arm lease is valid. Its line in the network file:

    /arm_driver: {arm: {service: /arm_driver/arm, dead_man: lease}}
"""
import time

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from rstate_msgs.msg import ArmLease as ArmLeaseMessage
from std_srvs.srv import SetBool

from rstate.arm_lease import ArmLease

CYCLE = 0.02  # s: how often the node looks whether it may still be armed
FIRST_LEASE_IN = 1.0  # s: the call to arm may overtake the first message of its lease


class LeasedNode(LifecycleNode):

    def __init__(self):
        super().__init__("leased_node")
        self.active = self.armed = False
        self.lease = ArmLease()
        self.calls = 0  # to arm or disarm
        self.heard = Future()  # done when a message of the lease has come that a call to arm waits for
        coordinator = self.declare_parameter("coordinator", "/rstate").value
        # What is late is of no use, so nothing is sent again. The queue is long because anyone may publish on the topic.
        newest = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
        self.create_subscription(ArmLeaseMessage, coordinator + "/arm_lease", self.on_lease, newest)
        # A disarm has to come through while a call to arm waits.
        self.create_service(SetBool, "~/arm", self.on_arm, callback_group=ReentrantCallbackGroup())
        self.create_timer(CYCLE, self.on_cycle)

    def leased(self):
        return self.lease.holds(time.monotonic_ns())

    def on_lease(self, message, info):
        if self.lease.take(time.monotonic_ns(), message, str(info.get("publisher_gid"))) and not self.heard.done():
            self.heard.set_result(None)

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
            self.armed, response.success, response.message = True, True, "armed"
            self.get_logger().info("armed")
        return response

    async def first_lease(self):
        """Waits for a message of the lease, for a while."""
        heard = self.heard = Future()
        timer = self.create_timer(FIRST_LEASE_IN, lambda: heard.done() or heard.set_result(None))
        await heard
        self.destroy_timer(timer)

    def on_cycle(self):
        if self.armed and not self.leased():
            self.disarm("its lease has ended")
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
