"""A subscriber to the states of a network: listener.py STATE_TOPIC LIFECYCLE_TOPIC."""
import sys
import threading
import time

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import InstanceState, NetworkState

from peer import now, serve

# how far the clock of the stamps is ahead of the one that processes share
AHEAD = time.time_ns() - now()


class Listener:
    def __init__(self, state, lifecycle):
        self.lock = threading.Lock()
        self.list = []
        self.node = rclpy.create_node("listener")
        qos = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        for kind, topic in ((InstanceState, state), (NetworkState, lifecycle)):
            self.node.create_subscription(kind, topic, self.listen(topic), qos)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        threading.Thread(target=self.spin, daemon=True).start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def listen(self, topic):
        def hear(message):
            at = now()
            if message.settled:
                with self.lock:
                    sent = message.stamp.sec * 10**9 + message.stamp.nanosec - AHEAD
                    self.list.append({"topic": topic, "state": message.state.label, "sent": sent, "at": at})
        return hear

    def heard(self):
        """The settled states since the previous request."""
        with self.lock:
            fresh, self.list = self.list, []
        return fresh

    def close(self):
        self.executor.shutdown(timeout_sec=0)


serve(lambda: Listener(*sys.argv[1:]))
