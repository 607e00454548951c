"""Sends bytes that are no messages to readers of DDS.

Each line of stdin is "TOPIC TYPE HEX…": the topic's name in DDS (rt/… of a topic, rq/… and rr/… of a service), the type as
"pkg.msg.Name", and payloads with their representation header; "-" is an empty one. It answers each line with the number of
readers that it found. It goes below rcl, which takes only names with a slash in front.
"""
import ctypes
import importlib
import sys
import time

import rclpy

RELIABLE, TRANSIENT_LOCAL, KEEP_ALL, MANUAL_BY_TOPIC = 1, 1, 2, 3
INFINITE = (9223372036, 854775807)


class Time(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_uint64), ("nsec", ctypes.c_uint64)]


class QoS(ctypes.Structure):
    _fields_ = [("history", ctypes.c_int), ("depth", ctypes.c_size_t), ("reliability", ctypes.c_int), ("durability", ctypes.c_int),
                ("deadline", Time), ("lifespan", Time), ("liveliness", ctypes.c_int), ("lease", Time), ("avoid", ctypes.c_bool)]


class Options(ctypes.Structure):
    _fields_ = [("payload", ctypes.c_void_p), ("unique", ctypes.c_int)]


class Bytes(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t), ("capacity", ctypes.c_size_t), ("allocator", ctypes.c_void_p * 5)]



def loaded(*names):
    """The first of these libraries that rclpy has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = maps.read().split()
    return ctypes.CDLL(next(path for name in names for path in paths if path.endswith(f"/{name}.so")))


rclpy.init()
rmw, rcl = loaded("librmw_implementation", "librmw_fastrtps_cpp"), loaded("librcl")
rcl.rcl_node_get_rmw_handle.restype = rmw.rmw_create_publisher.restype = ctypes.c_void_p
rcl.rcl_node_get_rmw_handle.argtypes = [ctypes.c_void_p]
rmw.rmw_create_publisher.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
rmw.rmw_publish_serialized_message.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
rmw.rmw_publisher_count_matched_subscriptions.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
ctypes.pythonapi.PyCapsule_GetName.argtypes = [ctypes.py_object]
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def support(name):
    """The type support of a message type."""
    package, kind, leaf = name.split(".", 2)
    one = importlib.import_module(f"{package}.{kind}")
    for part in leaf.split("."):
        one = getattr(one, part)
    if one.__class__._TYPE_SUPPORT is None:
        one.__class__.__import_type_support__()
    capsule = one.__class__._TYPE_SUPPORT
    return ctypes.pythonapi.PyCapsule_GetPointer(capsule, ctypes.pythonapi.PyCapsule_GetName(capsule))


class Raw:
    """A writer of a DDS topic."""

    def __init__(self, node, topic, type_name):
        qos = QoS(KEEP_ALL, 1, RELIABLE, TRANSIENT_LOCAL, Time(*INFINITE), Time(*INFINITE), MANUAL_BY_TOPIC, Time(0, 200_000_000), True)
        with node.handle:
            handle = rcl.rcl_node_get_rmw_handle(node.handle.pointer)
        self.writer = rmw.rmw_create_publisher(handle, support(type_name), topic.encode(), ctypes.byref(qos), ctypes.byref(Options()))
        if not self.writer:
            raise SystemExit(f"no writer of {topic}")

    def readers(self):
        count = ctypes.c_size_t()
        rmw.rmw_publisher_count_matched_subscriptions(self.writer, ctypes.byref(count))
        return count.value

    def send(self, payload):
        held = ctypes.create_string_buffer(payload, max(len(payload), 1))
        one = Bytes(ctypes.addressof(held), len(payload), len(payload))
        rmw.rmw_publish_serialized_message(self.writer, ctypes.byref(one), None)


def main():
    node = rclpy.create_node("raw")
    for line in sys.stdin:
        topic, type_name, *payloads = line.split()
        raw = Raw(node, topic, type_name)
        while not raw.readers():
            time.sleep(0.01)
        for one in payloads:
            raw.send(bytes.fromhex(one.strip("-")))
        print(raw.readers(), flush=True)


if __name__ == "__main__":
    main()
