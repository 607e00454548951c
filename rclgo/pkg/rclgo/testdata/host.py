"""An rclpy peer for the tests: takes one JSON command a line, writes one JSON event a line.

Ends when its input does, so it never outlives the tests.
"""
import gc
import importlib
import json
import sys
import threading

import rclpy
from rcl_interfaces.msg import ParameterType
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

lock = threading.Lock()


def emit(**event):
    with lock:
        print(json.dumps(event), flush=True)


def load(name):
    """The class of a type; std_srvs/srv/SetBool.Event is a part of one."""
    package, folder, kind = name.split("/")
    kind, *part = kind.split(".")
    found = getattr(importlib.import_module(f"{package}.{folder}"), kind)
    return getattr(found, part[0]) if part else found


def fill(message, fields):
    for key, value in fields.items():
        if isinstance(value, dict):
            fill(getattr(message, key), value)
        else:
            setattr(message, key, value)
    return message


def plain(value):
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return value[0]
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    return [plain(v) for v in value]


def parameter(name, value):
    """A parameter of the type that the value has; a list of bytes is written {"bytes": [1, 2]}."""
    if isinstance(value, dict):
        return Parameter(name, Parameter.Type.BYTE_ARRAY, [bytes([b]) for b in value["bytes"]])
    return Parameter(name, value=value)


FIELDS = {
    ParameterType.PARAMETER_BOOL: "bool_value", ParameterType.PARAMETER_INTEGER: "integer_value",
    ParameterType.PARAMETER_DOUBLE: "double_value", ParameterType.PARAMETER_STRING: "string_value",
    ParameterType.PARAMETER_BYTE_ARRAY: "byte_array_value", ParameterType.PARAMETER_BOOL_ARRAY: "bool_array_value",
    ParameterType.PARAMETER_INTEGER_ARRAY: "integer_array_value",
    ParameterType.PARAMETER_DOUBLE_ARRAY: "double_array_value",
    ParameterType.PARAMETER_STRING_ARRAY: "string_array_value",
}


def value_of(value):
    field = FIELDS.get(value.type)
    return plain(getattr(value, field)) if field else None


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
        self.ended = threading.Event()

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

    def create(self, cmd):
        """A node of its own, with parameters."""
        node = rclpy.create_node(
            cmd["name"], namespace=cmd.get("namespace"),
            parameter_overrides=[Parameter(k, value=v) for k, v in cmd.get("parameters", {}).items()])
        self.things[cmd["id"]] = node
        self.executor.add_node(node)

    def withdraw(self, cmd):
        self.node.destroy_publisher(self.things.pop(cmd["id"]))

    def destroy(self, cmd):
        node = self.things.pop(cmd["id"])
        self.executor.remove_node(node)
        node.destroy_node()
        del node
        gc.collect()  # until then it stays in the graph

    def now(self, cmd):
        """The time of a node that create made, in nanoseconds."""
        emit(event="now", id=cmd["id"], msg={"ns": self.things[cmd["node"]].get_clock().now().nanoseconds})

    def parameters(self, cmd):
        """A client of the parameters of a node."""
        self.things[cmd["id"]] = client = AsyncParameterClient(self.node, cmd["node"])
        if not client.wait_for_services(timeout_sec=30.0):
            raise RuntimeError("no parameter services")

    def ask(self, cmd):
        """Uses what parameters made; the answer comes as msg["answer"]."""
        client, do = self.things[cmd["client"]], cmd["do"]
        if do == "list":
            future = client.list_parameters(cmd["prefixes"], cmd["depth"])
        elif do in ("get_parameters", "get_parameter_types", "describe_parameters"):
            future = getattr(client, do)(cmd["names"])
        else:
            future = getattr(client, do)([parameter(k, v) for k, v in cmd["values"].items()])

        def answered(future):
            r = future.result()
            if do == "get_parameters":
                answer = [value_of(v) for v in r.values]
            elif do in ("list", "set_parameters_atomically"):
                answer = plain(r.result)
            else:
                answer = plain(next(getattr(r, f) for f in r.get_fields_and_field_types()))
            emit(event="answered", id=cmd["id"], msg={"answer": answer})
        future.add_done_callback(answered)

    def hash(self, cmd):
        """The hash of the type that is published on a topic."""
        for info in self.node.get_publishers_info_by_topic(cmd["topic"]):
            emit(event="hash", id=cmd["id"], msg={"hash": str(info.topic_type_hash)})
            return
        raise RuntimeError("nothing is published there")

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


Host().run()
