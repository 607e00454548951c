"""Nodes that are wrong, each in one way, below a namespace: wrong.py NAMESPACE. It is an independent peer of the doctor,
and says so when all of them are there. It runs until it is killed."""
import sys

import rclpy
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Empty, String
from std_srvs.srv import SetBool, Trigger


def ignore(request, response):
    return response


def main():
    namespace = sys.argv[1]
    rclpy.init()
    executor = MultiThreadedExecutor()
    nodes = []

    def plain(name, below=namespace, **options):
        node = rclpy.create_node(name, namespace=below, **options)
        executor.add_node(node)
        nodes.append(node)
        return node

    def managed(name, below=namespace, **options):
        node = LifecycleNode(name, namespace=below, **options)
        executor.add_node(node)
        nodes.append(node)
        return node

    simulated = [Parameter("use_sim_time", value=True)]
    plain("plain")  # the network says that it has a lifecycle
    plain("half").create_service(GetState, "~/get_state", ignore)
    strange = plain("strange")
    strange.create_service(Trigger, "~/get_state", ignore)
    strange.create_service(ChangeState, "~/change_state", ignore)
    managed("managed")  # the network says that it has none
    managed("lidra")  # a typo
    managed("slam", namespace + "/robot")  # a wrong namespace
    managed("twin")
    managed("twin")
    managed("done").trigger_shutdown()
    managed("unarmed")  # its arming service has another name
    nodes[-1].create_service(SetBool, "~/amr", ignore)
    managed("armed_otherwise").create_service(Trigger, "~/arm", ignore)
    managed("simulated", parameter_overrides=simulated)

    # What is checked: a topic of another type, and one that the node that wants it cannot hear.
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    talker = plain("talker")
    talker.create_publisher(String, "~/strange", 1)
    talker.create_publisher(Empty, "~/faint", best_effort)
    checked = managed("checked")
    checked.create_subscription(Empty, f"{namespace}/talker/faint", lambda _: None,
                                QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))

    if len(sys.argv) > 2:  # whoever publishes the time does it for all of the domain
        plain("time").create_publisher(Clock, "/clock", 1)

    print("all are there", flush=True)
    executor.spin()


if __name__ == "__main__":
    main()
