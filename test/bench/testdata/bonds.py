"""The nodes' sides of many bonds, on one subscription: bonds.py. It bonds with every side that it hears."""
import threading
import time
import uuid

import rclpy
from bond.msg import Status
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSProfile

from peer import serve

PERIOD = 0.25


class Sisters:
    def __init__(self):
        self.me = str(uuid.uuid4())
        self.heard = {}  # when the other side of each bond was heard last
        self.longest = 0.0  # the longest silence of one
        self.silent = False
        self.node = rclpy.create_node("sisters")
        qos = QoSProfile(depth=2000)
        self.publisher = self.node.create_publisher(Status, "/bond", qos)
        self.node.create_subscription(Status, "/bond", self.hear, qos)
        self.node.create_timer(PERIOD, self.beat)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        threading.Thread(target=self.spin, daemon=True).start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def hear(self, message):
        if message.instance_id != self.me and message.active:
            now = time.monotonic()
            self.longest = max(self.longest, now - self.heard.get(message.id, now))
            self.heard[message.id] = now

    def beat(self):
        for name in [] if self.silent else list(self.heard):
            self.publisher.publish(Status(id=name, instance_id=self.me, active=True, heartbeat_timeout=4.0,
                                          heartbeat_period=PERIOD))

    def count(self):
        """The bonds whose other side was heard in the last second, and the longest silence of one so far."""
        now = time.monotonic()
        return {"beating": sum(now - at < 1 for at in list(self.heard.values())), "longest": self.longest}

    def cease(self):
        """The heartbeats cease, as if all nodes hung."""
        self.silent = True
        return True

    def close(self):
        self.executor.shutdown(timeout_sec=0)


serve(Sisters)
