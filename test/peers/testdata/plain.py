"""A program that speaks only the four fields of the lifecycle topic: plain.py NAME TOPIC.

It follows what others say, with a little state of its own, and says what it is told on stdin, one command a line. On stdout
it says which state it is in, at the start and after each change.
"""
import sys
import threading

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import NetworkState

LEADS = {"configure": "inactive", "cleanup": "unconfigured", "activate": "active", "deactivate": "inactive",
         "arm": "armed", "disarm": "active", "shutdown": "finalized"}


class Plain:
    def __init__(self, name, topic):
        self.name, self.state, self.lock = name, "unconfigured", threading.Lock()
        namespace, _, base = name.rpartition("/")
        self.node = rclpy.create_node(base, namespace=namespace or "/")
        qos = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.says = self.node.create_publisher(NetworkState, topic, qos)
        self.node.create_subscription(NetworkState, topic, self.hear, qos)
        print(self.state, flush=True)

    def hear(self, message):
        # A message without an event is no command: an instance that has just started publishes its state, late.
        if message.source_node != self.name and message.event and message.target_state in LEADS.values():
            self.enter(message.target_state)

    def enter(self, state):
        with self.lock:
            before, self.state = self.state, state
            if before != state:
                print(state, flush=True)
        return before

    def command(self, event):
        target = LEADS[event]
        before = self.enter(target)
        self.says.publish(NetworkState(source_node=self.name, source_state=before, event=event, target_state=target))


rclpy.init()
plain = Plain(*sys.argv[1:])
threading.Thread(target=rclpy.spin, args=(plain.node,), daemon=True).start()
for line in sys.stdin:
    plain.command(line.strip())
rclpy.try_shutdown()
