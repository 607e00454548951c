"""A participant whose messages depend on nothing but the number of the step, so that they are the same in each life of it.

In its own phase it publishes a text on its topic, and a message whose fields are aligned on /all, on which others publish too;
at the end of each second step another one. --dies-at N kills it in its phase of step N, after it has published.
"""
import argparse
import os
import signal
import sys

import rclpy
from rstate.stepped import SteppedNode, Step
from std_msgs.msg import String
from test_msgs.msg import BasicTypes

R = Step.Request
parser = argparse.ArgumentParser()
parser.add_argument("--simulator", action="store_true")
parser.add_argument("--dies-at", type=int)
parser.add_argument("--in-topic")
parser.add_argument("--out-topic")
parser.add_argument("--all")


class Clockwork(SteppedNode):

    def __init__(self, args):
        super().__init__("participant")
        self.args = args
        self.text = self.create_publisher(String, args.out_topic, 1)
        self.all = self.create_publisher(BasicTypes, args.all, 1)
        self.create_subscription(String, args.in_topic, lambda message: None, 1)

    def on_step(self, step):
        mine = R.STEP_SIMULATOR if self.args.simulator else R.STEP_CONTROLLER
        if step.phase == mine:
            self.text.publish(String(data="x" * (step.number % 7)))
            self.all.publish(BasicTypes(bool_value=True, float64_value=step.number / 3, uint8_value=1, uint64_value=step.number))
            if step.number == self.args.dies_at:
                os.kill(os.getpid(), signal.SIGKILL)
        if step.phase == R.STEP_END and step.number % 2 == 0:
            self.all.publish(BasicTypes(int64_value=step.number))


rclpy.init()
node = Clockwork(parser.parse_args(rclpy.utilities.remove_ros_args(sys.argv)[1:]))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
finally:
    node.destroy_node()
    rclpy.try_shutdown()
