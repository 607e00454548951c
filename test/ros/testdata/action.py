"""An action server that advertises as soon as it is started, and until it is told to end: action.py NAME."""
import sys

import rclpy
from rclpy.action import ActionServer
from rclpy.executors import ExternalShutdownException
from rstate_msgs.action import Transition


def refuse(handle):
    handle.abort()
    return Transition.Result()


rclpy.init()
node = rclpy.create_node("early")
server = ActionServer(node, Transition, sys.argv[1], refuse)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
server.destroy()
node.destroy_node()
rclpy.try_shutdown()
