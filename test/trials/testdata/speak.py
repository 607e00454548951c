"""A process that says what it sees, one JSON line each, stamped by CLOCK_MONOTONIC, until the end of its input."""
import json
import os
import sys
import threading
import time

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions


def now():
    """CLOCK_MONOTONIC, which all processes of a machine share."""
    return time.monotonic_ns()


class Speaker:
    """Writes whole lines. A line has left the process when say returns, so a kill after that does not lose it."""

    def __init__(self):
        self.out = os.dup(1)
        os.dup2(2, 1)  # other output must not get between the lines

    def say(self, **line):
        os.write(self.out, (json.dumps(line) + "\n").encode())


def serve(make, told):
    """Runs the node that make returns for a speaker, and passes each line of the input to told."""
    speaker = Speaker()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = make(speaker)
    executor = SingleThreadedExecutor()
    executor.add_node(node)

    def spin():
        try:
            executor.spin()
        except ExternalShutdownException:
            pass

    threading.Thread(target=spin, daemon=True).start()
    speaker.say(what="ready", at=now())
    for line in sys.stdin:
        told(node, line.strip())
    rclpy.try_shutdown()
    os._exit(0)
