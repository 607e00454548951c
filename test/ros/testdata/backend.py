"""A simulation of the NRP backend as a peer that knows nothing of rstate: backend.py NAME TOPIC.

It follows the same table and the same rules as the original, in words of our own, over messages of four fields. Commands come
on stdin, one a line: a trigger, `reset`, or `fail HOOK`, after which that hook throws once. After each event it writes a line
of JSON: its state, how often each hook ran, what an operator would find in its log, and how many lines it has carried out.
"""
import json
import sys
import threading
import time

import rclpy
from rclpy.qos import QoSProfile
from rstate_msgs.msg import NetworkState

# Each trigger, from where it leads to where, and its hook.
TABLE = {
    "initialized": {"created": ("paused", "initialize")},
    "started": {"paused": ("started", "start")},
    "paused": {"started": ("paused", "pause")},
    "stopped": {"created": ("stopped", "stop"), "paused": ("stopped", "stop"), "started": ("stopped", "stop"), "halted": ("failed", "stop")},
    "failed": {"created": ("failed", "stop"), "paused": ("halted", "fail"), "started": ("halted", "fail")},
}
RESET = ("paused", "started")  # from where the word initialized means a reset, to paused
FINAL = ("stopped", "failed")
LEAVES_AFTER = 1.0  # seconds in a final state


class Backend:
    def __init__(self, name, topic):
        self.name, self.state, self.lock = name, "created", threading.Lock()
        self.hooks, self.throws, self.log = {}, set(), []
        self.readers = self.writers = self.lines = 0
        self.ended = None
        namespace, _, base = name.rpartition("/")
        self.node = rclpy.create_node(base, namespace=namespace or "/")
        qos = QoSProfile(depth=100)
        self.reader = self.node.create_subscription(NetworkState, topic, self.hear, qos)
        self.topic = self.node.create_publisher(NetworkState, topic, qos)
        self.tell()

    def tell(self):
        print(json.dumps({"state": self.state, "hooks": self.hooks, "log": self.log, "writers": self.writers, "readers": self.readers, "lines": self.lines}), flush=True)

    def look(self):
        """Tells how many are matched, if that has changed. It asks, since the event of a match can be lost: Fast DDS clears
        the mark of an event after it has read the count, and a match between the two marks nothing."""
        counts = self.reader.get_publisher_count(), self.topic.get_subscription_count()
        with self.lock:
            if counts != (self.writers, self.readers):
                self.writers, self.readers = counts
                self.tell()

    def hook(self, name):
        self.hooks[name] = self.hooks.get(name, 0) + 1
        if name in self.throws:
            self.throws.remove(name)
            raise RuntimeError(f"the hook {name} does not work")

    def enter(self, state):
        self.state = state
        if state in FINAL:
            self.ended = time.monotonic()

    def run(self, trigger):
        """Runs a trigger. It returns whether there was something to do, and raises what the hook raises."""
        if trigger == "reset" or trigger == "initialized" and self.state in RESET:
            if self.state not in RESET:
                raise ValueError(f"reset is not valid in {self.state}")
            self.hook("reset")
            self.enter("paused")
            return True
        edges = TABLE[trigger]
        if self.state not in edges:
            if self.state in [to for to, _ in edges.values()]:
                return False
            raise ValueError(f"{trigger} is not valid in {self.state}")
        to, hook = edges[self.state]
        if to == "halted":  # the hook of a failure runs in the state to which it leads
            self.enter(to)
            self.hook(hook)
        else:
            self.hook(hook)
            self.enter(to)
        return True

    def publish(self, source, trigger):
        event = "initialized" if trigger == "reset" else trigger
        self.topic.publish(NetworkState(source_node=self.name, source_state=source, event=event, target_state=self.state))

    def fail(self):
        source = self.state
        if self.run("failed"):
            self.publish(source, "failed")

    def command(self, line):
        word, _, hook = line.partition(" ")
        with self.lock:
            source = self.state
            self.lines += 1
            try:
                if word == "fail":
                    self.throws.add(hook)
                elif word == "initialized" and self.state in RESET:  # a repeat, or not valid: a reset has a command of its own
                    if self.state == "started":
                        raise ValueError("initialized is not valid in started")
                elif self.run(word):
                    self.publish(source, word)
            except ValueError as fault:
                self.log.append(str(fault))
            except RuntimeError:
                self.fail()
            self.tell()

    def hear(self, message):
        if message.source_node == self.name:
            return
        with self.lock:
            try:
                if message.event not in TABLE:
                    raise ValueError(f"there is no event {message.event!r}")
                if message.source_state != self.state:
                    self.log.append(f"the states have diverged: {message.source_state} there, {self.state} here, at {message.event}")
                    self.enter(message.source_state)
                self.run(message.event)
            except (RuntimeError, ValueError) as fault:
                if isinstance(fault, ValueError):
                    self.log.append(str(fault))
                if message.target_state:
                    self.enter(message.target_state)
                self.fail()
            self.tell()


rclpy.init()
backend = Backend(*sys.argv[1:])


def read():
    for line in sys.stdin:
        backend.command(line.strip())


threading.Thread(target=read, daemon=True).start()
while backend.ended is None or time.monotonic() < backend.ended + LEAVES_AFTER:
    rclpy.spin_once(backend.node, timeout_sec=0.1)
    backend.look()
backend.node.destroy_node()
rclpy.try_shutdown()
