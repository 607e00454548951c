"""A small robot of plain rclpy nodes, as people write them. Its nodes are where a launch file would have brought them."""
import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Empty
from std_srvs.srv import SetBool, Trigger
from test_msgs.action import Fibonacci


def yes(request, response):
    response.success = True
    return response


rclpy.init()
lidar = LifecycleNode('lidar', namespace='/front')
lidar.create_lifecycle_publisher(Empty, 'scan', 1)
slam = LifecycleNode('slam', namespace='/front')
slam.create_subscription(Empty, 'scan', lambda message: None, 1)
slam.create_client(Trigger, '/rear/maps/load')
explores = ActionClient(slam, Fibonacci, '/rear/maps/explore')
maps = LifecycleNode('maps', namespace='/rear', parameter_overrides=[Parameter('use_sim_time', value=True)])
maps.create_service(Trigger, '~/load', yes)
explored = ActionServer(maps, Fibonacci, '/rear/maps/explore', lambda goal: Fibonacci.Result())
arm = LifecycleNode('arm', namespace='/rear')
arm.create_service(SetBool, '~/arm', yes)
joy = Node('joy', namespace='/rear')
for node in (lidar, maps):
    node.trigger_configure()
    node.trigger_activate()
slam.trigger_configure()
executor = MultiThreadedExecutor(4)
for node in (lidar, slam, maps, arm, joy):
    executor.add_node(node)
print('all are there', flush=True)
executor.spin()
