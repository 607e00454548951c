"""A hostile participant of the domain: it publishes what it likes, as fast as it is told, until it is killed.

hostile.py FILE DAEMON SIMULATION NODE… sends raw bytes on every topic and service of the daemon, forged messages of every kind, and
floods of goals, changes, reports, errors on /rosout and requests. It reads the daemon's instance and term from FILE, and writes a
line now and then. It never arms or disarms a node itself: no program can keep a participant from that.
"""
import os
import random
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy
from rclpy.action import ActionClient
from rclpy.duration import Duration

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../rclgo/pkg/rclgo/testdata"))
import raw  # the middleware's own writers, as rclgo's tests use them; it initialises rclpy
from rcl_interfaces.msg import Log
from rstate_msgs.action import Transition
from rstate_msgs.msg import ArmLease, InstanceState, Loop, NetworkState, NodeReport, PeerStatus, Seen
from rstate_msgs.srv import GetNetwork, History, Plan

known, daemon, simulation, *nodes = sys.argv[1:]
node = rclpy.create_node(f"hostile_{os.getpid()}")
executor = SingleThreadedExecutor()
executor.add_node(node)
rnd = random.Random(7)

latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE,
                     liveliness=LivelinessPolicy.MANUAL_BY_TOPIC, liveliness_lease_duration=Duration(nanoseconds=200_000_000))
loose = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE, reliability=ReliabilityPolicy.BEST_EFFORT)

heard = InstanceState(lease_term=1)  # what is known of the daemon: its own bytes would end a process that listens itself


def look():
    """Read what the test knows of the daemon: "INSTANCE TERM"."""
    with open(known, encoding="utf-8") as file:
        words = file.read().split()
    if len(words) == 2:
        heard.instance_id, heard.lease_term = words[0], int(words[1])


seen_by_us = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)
leases = node.create_publisher(ArmLease, f"{daemon}/arm_lease", loose)
states = node.create_publisher(InstanceState, f"{daemon}/state", latched)
statuses = node.create_publisher(PeerStatus, f"/simulation/{simulation}/peers", latched)
changes = node.create_publisher(NetworkState, f"/simulation/{simulation}/lifecycle", latched)
reports = [node.create_publisher(NodeReport, f"{name}/report", seen_by_us) for name in nodes]
logs = node.create_publisher(Log, "/rosout", seen_by_us)
goals = ActionClient(node, Transition, f"{daemon}/transition")
services = [node.create_client(kind, f"{daemon}/{name}") for kind, name in
            ((GetNetwork, "get_network"), (History, "history"), (Plan, "plan"))]

MESSAGES = [("rt" + daemon + "/arm_lease", "rstate_msgs.msg.ArmLease"), ("rt" + daemon + "/state", "rstate_msgs.msg.InstanceState"),
            (f"rt/simulation/{simulation}/peers", "rstate_msgs.msg.PeerStatus"),
            (f"rt/simulation/{simulation}/lifecycle", "rstate_msgs.msg.NetworkState"), ("rt/rosout", "rcl_interfaces.msg.Log"),
            ("rq" + daemon + "/transition/_action/send_goalRequest", "rstate_msgs.action.Transition.Impl.SendGoalService.Request"),
            ("rq" + daemon + "/transition/_action/get_resultRequest", "rstate_msgs.action.Transition.Impl.GetResultService.Request"),
            ("rq" + daemon + "/transition/_action/cancel_goalRequest", "action_msgs.srv.CancelGoal.Request"),
            ("rq" + daemon + "/historyRequest", "rstate_msgs.srv.History.Request"),
            ("rq" + daemon + "/get_networkRequest", "rstate_msgs.srv.GetNetwork.Request")]


class Bytes:
    """Raw bytes on every topic, and on the middleware's own."""

    def __init__(self):
        every = MESSAGES + [("ros_discovery_info", "rmw_dds_common.msg.ParticipantEntitiesInfo")]
        for name in nodes:
            every.append((f"rt{name}/report", "rstate_msgs.msg.NodeReport"))
        self.writers = [raw.Raw(node, topic, kind) for topic, kind in every]

    def send(self):
        for writer in self.writers:
            head = rnd.choice((b"\0\1\0\0", b"\0\1\0\x0e", b"\0\1\0\3", b"\0\0\0\1", b"", b"\0\1", b"\0\7\0\0"))
            writer.send(head + rnd.choice((b"", b"\xff" * 8, rnd.randbytes(rnd.randrange(64)), b"\1\0\0\0" * 16)))


def lease(instance, term, seq, valid):
    leases.publish(ArmLease(instance_id=instance, term=term, seq=seq, proved_ns=time.monotonic_ns(), valid_ns=valid))


def forge_leases(k):
    own = heard.instance_id or "x"
    lease(own, 2**64 - 1, k, 2**62)
    lease(own, max(heard.lease_term, 1), 2**40 + k, 2**60)
    lease("forger", 1 + k // 100, k, 2**60)
    lease(own, heard.lease_term + 2**32 + 9, k, 2**60)


def forge_states(_):
    forged = InstanceState(name=daemon, instance_id=heard.instance_id or "x", lease_term=0)
    states.publish(forged)
    states.publish(InstanceState(name=daemon, instance_id=f"2{rnd.randrange(10**9)}", lease_term=rnd.randrange(2**64)))


def forge_statuses(k):
    me = node.get_fully_qualified_name()
    forged = PeerStatus(simulation=simulation, name=me, instance_id=f"2{k % 50}", settled=True, intact=True,
                        machine="rstate", machine_hash="")
    forged.state.label = forged.target.label = "active"
    forged.seen = [Seen(instance=f"plain:/x{rnd.randrange(10**6)}", n=5) for _ in range(200)]
    forged.loops = [Loop(command=f"spin{rnd.randrange(10**6)}", n=3) for _ in range(20)]
    if k % 3 == 0:
        forged.seen.append(Seen(instance=heard.instance_id or "x", n=2**64 - 1))
    if k % 5 == 0:
        forged.name = daemon
    statuses.publish(forged)


def forge_changes(k):
    changes.publish(NetworkState(source_node=f"/plain{k}", source_state="inactive", event="activate", target_state="active"))
    changes.publish(NetworkState(source_node=node.get_fully_qualified_name(), simulation=simulation, instance_id="2", source_state="active",
                                 event="arm", target_state="armed", seen=[Seen(instance="2", n=k)]))


def report(k):
    for one in reports:
        one.publish(NodeReport(state=f"WORD{k}"))


def forge_logs(k):
    for name in nodes:
        logs.publish(Log(level=40, name=name.strip("/").replace("/", ".") + f".child{k % 100}", msg="\x1b[2J\n" + "x" * 10000))


def ask(k):
    goals.send_goal_async(Transition.Goal(command=("nothing", "", "activate\n", "x" * 1000)[k % 4]))
    for one in services:
        one.remove_pending_request(one.call_async(one.srv_type.Request()))


def main():
    flood = Bytes()
    for k in range(1, 10**9):
        flood.send()
        for forge in (forge_leases, forge_states, forge_statuses, forge_changes, forge_logs, report):
            forge(k)
        if k % 10 == 0:
            ask(k)
            look()
            print(f"round {k}", flush=True)
        executor.spin_once(timeout_sec=0.001)
        time.sleep(0.004)


main()
