"""Reads JSON requests, one a line, and answers each with one line, until the end of input."""
import json
import os
import sys
import time

import rclpy
from rclpy.signals import SignalHandlerOptions


def now():
    """CLOCK_MONOTONIC, which all processes of a machine share."""
    return time.monotonic_ns()


def serve(make):
    """Each request {"op": "name", …} calls the method of that name on the result of make."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # other output must not get between the answers
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)

    def answer(value):
        out.write(json.dumps(value) + "\n")
        out.flush()

    peer = make()
    answer("ready")
    for line in sys.stdin:
        request = json.loads(line)
        answer(getattr(peer, request.pop("op"))(**request))
    peer.close()
    rclpy.try_shutdown()
    sys.stderr.flush()
    os._exit(0)  # threads inside a callback would keep the interpreter running
