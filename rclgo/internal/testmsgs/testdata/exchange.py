"""The other end of topics, services and actions of any type: one JSON command a line in, one JSON event a line out.

Messages travel through the commands as rclpy serialises them, in hexadecimal. Ends when its input does.
"""
import importlib
import json
import sys
import threading
import time

import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message, serialize_message

LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PATIENCE = 30.0
lock = threading.Lock()


def emit(cmd, event, **what):
    with lock:
        print(json.dumps({"id": cmd["id"], "event": event, **what}), flush=True)


def load(name):
    package, folder, kind = name.split("/")
    return getattr(importlib.import_module(f"{package}.{folder}"), kind)


def read(cdr, kind):
    return deserialize_message(bytes.fromhex(cdr), kind)


def write(message):
    return serialize_message(message).hex()


class Client(ActionClient):
    """Has its lock before its node knows it: on Kilted rclpy makes the lock last, and a spin before that fails."""

    def __init__(self, *args, **kwargs):
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)


class Exchange:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("exchange")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.ended = threading.Event()
        self.kept = []
        self.heard = {}

    def echo(self, cmd):
        """Publishes on one topic what it hears on another."""
        kind = load(cmd["type"])
        publisher = self.node.create_publisher(kind, cmd["out"], LATCHED)
        self.kept.append(self.node.create_subscription(kind, cmd["in"], publisher.publish, LATCHED))

    def serve(self, cmd):
        """Answers with a given response and tells what it was asked."""
        kind = load(cmd["type"])

        def asked(request, _):
            emit(cmd, "asked", cdr=write(request))
            return read(cmd["response"], kind.Response)
        self.kept.append(self.node.create_service(kind, cmd["name"], asked))

    def call(self, cmd):
        kind = load(cmd["type"])
        client = self.node.create_client(kind, cmd["name"])
        self.kept.append(client)
        if not client.wait_for_service(timeout_sec=PATIENCE):
            raise RuntimeError("no service")
        client.call_async(read(cmd["request"], kind.Request)).add_done_callback(
            lambda f: emit(cmd, "answered", cdr=write(f.result())))

    def serve_action(self, cmd):
        """Sends feedback until the client has heard it, and succeeds with a given result; tells what the goal was.

        The topic is volatile, and the client may find it late.
        """
        kind = load(cmd["type"])
        heard = self.heard[cmd["id"]] = threading.Event()

        def execute(goal):
            emit(cmd, "asked", cdr=write(goal.request))
            until = time.monotonic() + PATIENCE
            while not heard.wait(0.02) and time.monotonic() < until:
                goal.publish_feedback(read(cmd["feedback"], kind.Feedback))
            goal.succeed()
            return read(cmd["result"], kind.Result)
        self.kept.append(ActionServer(self.node, kind, cmd["name"], execute))

    def client_heard(self, cmd):
        """Ends the feedback of an action."""
        self.heard[cmd["of"]].set()

    def send_goal(self, cmd):
        kind = load(cmd["type"])
        client = Client(self.node, kind, cmd["name"])
        self.kept.append(client)
        if not client.wait_for_server(timeout_sec=PATIENCE):
            raise RuntimeError("no server")

        def accepted(future):
            future.result().get_result_async().add_done_callback(
                lambda f: emit(cmd, "ended", status=f.result().status, cdr=write(f.result().result)))

        # On the spinning thread: Jazzy's rclpy drops an answer that comes before it has noted what it asked.
        self.executor.create_task(lambda: client.send_goal_async(
            read(cmd["goal"], kind.Goal),
            feedback_callback=lambda m: emit(cmd, "feedback", cdr=write(m.feedback))).add_done_callback(accepted))

    def run(self):
        spinner = threading.Thread(target=self.spin, daemon=True)
        spinner.start()
        for line in sys.stdin:
            cmd = json.loads(line)
            try:
                getattr(self, cmd["op"])(cmd)
                emit(cmd, "done")
            except Exception as e:  # the test reports it
                emit(cmd, "failed", error=repr(e))
        self.ended.set()
        self.executor.create_task(lambda: None)
        spinner.join()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def spin(self):
        """Not executor.spin, which may wait for ever after a shutdown of the executor by another thread."""
        while not self.ended.is_set():
            self.executor.spin_once()


Exchange().run()
