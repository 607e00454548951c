"""An rclpy peer for the tests: takes one JSON command a line, writes one JSON event a line.

Ends when its input does, so it never outlives the tests.
"""
import importlib
import json
import sys
import threading

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

lock = threading.Lock()


def emit(**event):
    with lock:
        print(json.dumps(event), flush=True)


def load(name):
    package, folder, kind = name.split("/")
    return getattr(importlib.import_module(f"{package}.{folder}"), kind)


def fill(message, fields):
    for key, value in fields.items():
        setattr(message, key, value)
    return message


def plain(message):
    out = {}
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        out[name] = value if isinstance(value, (bool, int, float, str)) else str(value)
    return out


def qos(cmd):
    return QoSProfile(
        depth=cmd.get("depth", 10),
        reliability=ReliabilityPolicy.BEST_EFFORT if cmd.get("best_effort") else ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if cmd.get("latched") else DurabilityPolicy.VOLATILE)


class Host:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("pyhost")
        self.things = {}
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)

    def advertise(self, cmd):
        self.things[cmd["id"]] = self.node.create_publisher(load(cmd["type"]), cmd["topic"], qos(cmd))

    def publish(self, cmd):
        pub = self.things[cmd["id"]]
        pub.publish(fill(pub.msg_type(), cmd["msg"]))

    def subscribe(self, cmd):
        def heard(msg, id=cmd["id"]):
            emit(event="heard", id=id, msg=plain(msg))
        self.things[cmd["id"]] = self.node.create_subscription(load(cmd["type"]), cmd["topic"], heard, qos(cmd))

    def serve(self, cmd):
        def asked(request, response, id=cmd["id"], answer=cmd["answer"]):
            emit(event="asked", id=id, msg=plain(request))
            return fill(response, answer)
        self.things[cmd["id"]] = self.node.create_service(load(cmd["type"]), cmd["name"], asked)

    def call(self, cmd):
        kind = load(cmd["type"])
        client = self.node.create_client(kind, cmd["name"])
        ok = client.wait_for_service(timeout_sec=30.0)
        if not ok:
            emit(event="answered", id=cmd["id"], error="no service")
            return
        future = client.call_async(fill(kind.Request(), cmd["msg"]))
        future.add_done_callback(
            lambda f: emit(event="answered", id=cmd["id"], msg=plain(f.result())))
        self.things[cmd["id"]] = client

    def run(self):
        spinner = threading.Thread(target=self.spin, daemon=True)
        spinner.start()
        emit(event="ready")
        for line in sys.stdin:
            cmd = json.loads(line)
            try:
                getattr(self, cmd["op"])(cmd)
                emit(event="done", id=cmd["id"], op=cmd["op"])
            except Exception as e:  # the test reports it
                emit(event="failed", id=cmd["id"], error=repr(e))
        self.executor.shutdown()
        spinner.join()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass


Host().run()
