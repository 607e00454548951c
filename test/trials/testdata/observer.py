"""Says what the daemon NAME shows on ~/state, when each message arrives. The message's own stamp, which is by the wall
clock, is converted to CLOCK_MONOTONIC."""
import sys
import time

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import InstanceState

from speak import now, serve


class Observer(Node):
    def __init__(self, speaker, name):
        super().__init__("observer")
        self.speaker = speaker
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(InstanceState, name + "/state", self.heard, latched)

    def heard(self, message):
        at = now()
        stamp = message.stamp.sec * 10**9 + message.stamp.nanosec + at - time.time_ns()
        self.speaker.say(what="shown", at=at, stamp=stamp, instance=message.instance_id, state=message.state.label,
                         settled=message.settled, named=sorted({*message.armed, *message.may_be_armed}))


serve(lambda speaker: Observer(speaker, sys.argv[1]), lambda node, line: None)
