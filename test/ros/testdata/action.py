"""An action server that runs until SIGTERM: action.py NAME."""
import signal
import sys
import threading

# SIGTERM may arrive as soon as the graph shows a part of the server. rclpy is not spinning then and would miss the signal.
ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())

import rclpy  # noqa: E402
from rclpy.action import ActionServer  # noqa: E402
from rclpy.signals import SignalHandlerOptions  # noqa: E402
from rstate_msgs.action import Transition  # noqa: E402


def refuse(handle):
    handle.abort()
    return Transition.Result()


rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node("early")
server = ActionServer(node, Transition, sys.argv[1], refuse)
while not ended.is_set():
    rclpy.spin_once(node, timeout_sec=0.05)
server.destroy()
node.destroy_node()
rclpy.try_shutdown()
