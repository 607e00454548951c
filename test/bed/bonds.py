"""The nodes' side of bonds, from the description of the protocol: a bond is an id on a topic, and each side publishes
heartbeats with an instance id of its own.

All nodes of a process share a publisher and a subscription, so that hundreds of them can bond; nodes of nav2 have their own.
"""
import threading
import time
import uuid

from bond.msg import Status
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

PERIOD, TIMEOUT = 0.1, 4.0  # as nav2's nodes have them
CONNECT, DISCONNECT = 10.0, 2.0  # the defaults of the protocol


class Side:
    """One side of one bond: waiting for the other side, alive, awaiting death, or dead."""

    def __init__(self, bond_id):
        self.id, self.instance = bond_id, str(uuid.uuid4())
        self.state, self.until = "waiting", time.monotonic() + CONNECT

    def hear(self, message):
        """Takes a message of the sister, and reports whether it is to be answered at once."""
        if message.active:
            if self.state in ("waiting", "alive"):
                self.state, self.until = "alive", time.monotonic() + TIMEOUT
            return False
        answers = self.state in ("waiting", "alive")
        self.state = "dead"
        return answers

    def end(self):
        if self.state == "alive":
            self.state, self.until = "awaiting death", time.monotonic() + DISCONNECT
        elif self.state == "waiting":
            self.state = "dead"

    def tick(self):
        if time.monotonic() > self.until:
            self.state = "dead"
        return self.state != "dead"

    def status(self):
        return Status(id=self.id, instance_id=self.instance, active=self.state in ("waiting", "alive"),
                      heartbeat_timeout=TIMEOUT, heartbeat_period=PERIOD)


class Board:
    """The bonds of a process on one topic."""

    def __init__(self, topic):
        self.lock = threading.Lock()
        self.sides = {}
        self.ending = []
        self.heard = 0
        self.node = Node("bonds_" + uuid.uuid4().hex, start_parameter_services=False)
        self.publisher = self.node.create_publisher(Status, topic, QoSProfile(depth=1000))
        self.node.create_subscription(Status, topic, self.on_status, QoSProfile(depth=1000))
        self.node.create_timer(PERIOD, self.on_time)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        threading.Thread(target=self.spin, daemon=True).start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def start(self, bond_id):
        with self.lock:
            self.sides[bond_id] = Side(bond_id)

    def end(self, bond_id):
        with self.lock:
            side = self.sides.pop(bond_id, None)
            if side:
                side.end()
                self.ending.append(side)
        if side:
            self.publisher.publish(side.status())

    def state(self, bond_id):
        with self.lock:
            return self.sides[bond_id].state if bond_id in self.sides else ""

    def on_status(self, message):
        with self.lock:
            self.heard += 1
            sides = [self.sides.get(message.id), *(s for s in self.ending if s.id == message.id)]
            answers = [s for s in sides if s and s.instance != message.instance_id and s.hear(message)]
        for side in answers:
            self.publisher.publish(side.status())

    def on_time(self):
        with self.lock:
            self.ending = [s for s in self.ending if s.tick()]
            living = [s for s in (*self.sides.values(), *self.ending) if s.tick()]
        for side in living:
            self.publisher.publish(side.status())


boards = {}
making = threading.Lock()


def board(topic):
    """The board of this process for a topic."""
    with making:
        if topic not in boards:
            boards[topic] = Board(topic)
        return boards[topic]
