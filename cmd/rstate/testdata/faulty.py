"""A lifecycle node that logs an error in on_activate and refuses, as a driver without its device does.

faulty.py NAME TEXT: it logs TEXT. It does so when a subscriber of /rosout is there, so that no line is lost in discovery.
It refuses when it reads a line, so that the test decides whether the subscriber has the error before the answer.
"""

import sys
import time

import rclpy
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

name, text = sys.argv[1:]


class Faulty(LifecycleNode):

    def on_configure(self, state):
        self.get_logger().error('an error of an earlier step')
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        while self.count_subscribers('/rosout') == 0:
            time.sleep(0.01)
        self.get_logger().info('activating')
        self.get_logger().error(text)
        sys.stdin.readline()
        return TransitionCallbackReturn.FAILURE


rclpy.init()
node = Faulty(name)
print('is there', file=sys.stderr, flush=True)
rclpy.spin(node)
