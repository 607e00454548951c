"""Carries the ROS nodes of the tests: one process, many nodes, driven by JSON lines.

A request {"id": 7, "op": "change_state", …} on stdin is answered by {"id": 7, "result": …} or {"id": 7, "error": "…"} on
stdout, when it is done; requests do not wait for each other. The process ends when stdin does. It is an independent peer
of what is tested: rclpy only, nothing of the project but its interfaces.
"""
import json
import os
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import rclpy
from rclpy.signals import SignalHandlerOptions

from clients import Clients
from nodes import Nodes
from parameters import Parameters


class Host:
    def __init__(self, out):
        self.out = out
        self.writing = threading.Lock()
        self.nodes = Nodes()
        self.clients = Clients()
        self.parameters = Parameters(self.clients)
        self.pool = ThreadPoolExecutor(max_workers=64)

    def serve(self, lines):
        """Handles one request a line, until the end of input."""
        self.answer({"id": 0, "result": {"pid": os.getpid(), "distro": os.environ.get("ROS_DISTRO", "")}})
        for line in lines:
            self.pool.submit(self.handle, json.loads(line))

    def handle(self, request):
        number, op = request.pop("id"), request.pop("op")
        try:
            owners = (self.nodes, self.clients, self.parameters)
            method = next((getattr(o, "op_" + op) for o in owners if hasattr(o, "op_" + op)), None)
            if method is None:
                raise ValueError("there is no such request")
            self.answer({"id": number, "result": method(**request)})
        except Exception as fault:  # the test must see any error
            if not isinstance(fault, (TimeoutError, ValueError)):  # their texts are complete
                traceback.print_exc()
            self.answer({"id": number, "error": f"cannot do {op}: {type(fault).__name__}: {fault}"})

    def answer(self, reply):
        with self.writing:
            self.out.write(json.dumps(reply) + "\n")
            self.out.flush()

    def close(self):
        self.nodes.close()
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.clients.close()


def main():
    # Other output must not get between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    host = Host(out)
    try:
        host.serve(sys.stdin)
        host.close()
    finally:
        rclpy.try_shutdown()
        sys.stderr.flush()
        os._exit(0)  # pending requests would keep the interpreter running


if __name__ == "__main__":
    main()
