"""Plays peers, as many as are asked for: reads a request as JSON, one a line, and answers each with an empty line.

{"op": "tell", "simulation": …, "name": …, "instance": …, "status": {…}}   says it, and again twice a second
{"op": "change", "simulation": …, "name": …, "instance": …, "change": {…}} says it once
{"op": "lose", "name": …, "instance": …}                                   says nothing more; its liveliness ends
{"op": "hush"}                                                             all of them go
"""
import json
import sys
import threading
import time

import rclpy
from builtin_interfaces.msg import Duration as Span
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile
from rstate_msgs.msg import NetworkState, PeerStatus, Seen, State

ALIVE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, liveliness=LivelinessPolicy.MANUAL_BY_TOPIC,
                   liveliness_lease_duration=Duration(seconds=0.5))
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
BEAT, TELL = 0.1, 5  # seconds; beats between two statuses


def steady():
    """The time of a clock that no one sets."""
    now = time.monotonic_ns()
    return Span(sec=now // 10**9, nanosec=now % 10**9)


def filled(message, fields):
    for key, value in fields.items():
        if key == "seen":
            value = [Seen(instance=instance, n=n) for instance, n in sorted(value.items())]
        elif isinstance(getattr(message, key), State):
            value = State(label=value)
        setattr(message, key, value)
    return message


class Voice:
    def __init__(self, simulation, name, instance):
        namespace, _, base = name.rpartition("/")
        self.node = rclpy.create_node(base, namespace=namespace or "/")
        topic = f"/simulation/{simulation}/"
        self.changes = self.node.create_publisher(NetworkState, topic + "lifecycle", ALIVE if instance else LATCHED)
        self.statuses = self.node.create_publisher(PeerStatus, topic + "peers", ALIVE) if instance else None
        self.status, self.beats, self.silent = None, 0, False

    def beat(self):
        if self.silent or not self.statuses:
            return
        self.changes.assert_liveliness()
        self.statuses.assert_liveliness()
        self.beats += 1
        if self.status and self.beats % TELL == 0:
            self.say()

    def say(self):
        self.status.steady = steady()
        self.statuses.publish(self.status)

    def heard(self, listeners):
        """Waits until those that listen are there."""
        over = time.monotonic() + 30
        while (there := self.changes.get_subscription_count()) < listeners:
            if time.monotonic() > over:
                raise TimeoutError(f"{self.changes.topic_name} is heard by {there}, not by {listeners}")
            time.sleep(0.01)


class Voices:
    """One request at a time; meanwhile all of them go on to live."""

    def __init__(self):
        self.all, self.beating = {}, threading.Lock()

    def of(self, simulation, name, instance):
        key = name, instance
        if key not in self.all:
            self.all[key] = Voice(simulation, name, instance)
        return self.all[key]

    def tell(self, simulation, name, instance, status):
        voice = self.of(simulation, name, instance)
        voice.status = filled(PeerStatus(simulation=simulation, name=name, instance_id=instance), status)
        voice.say()

    def change(self, simulation, name, instance, change, listeners):
        voice = self.of(simulation, name, instance)
        voice.heard(listeners)
        now = steady()
        message = NetworkState(simulation=simulation, source_node=name, instance_id=instance, steady=now, made=now)
        voice.changes.publish(filled(message, change))

    def lose(self, name, instance):
        self.all[name, instance].silent = True

    def hush(self):
        with self.beating:
            gone, self.all = self.all, {}
        for voice in gone.values():
            voice.node.destroy_node()

    def live(self):
        while True:
            time.sleep(BEAT)
            with self.beating:
                for voice in list(self.all.values()):
                    voice.beat()


rclpy.init()
voices = Voices()
threading.Thread(target=voices.live, daemon=True).start()
for line in sys.stdin:
    request = json.loads(line)
    getattr(voices, request.pop("op"))(**request)
    print(flush=True)
rclpy.try_shutdown()
