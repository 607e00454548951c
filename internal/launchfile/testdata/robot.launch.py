import os

from launch import LaunchDescription
from launch.actions import (DeclareLaunchArgument, ExecuteProcess, GroupAction, IncludeLaunchDescription, LogInfo, OpaqueFunction,
                            RegisterEventHandler, TimerAction)
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import ComposableNodeContainer, LifecycleNode, LoadComposableNodes, Node, PushROSNamespace
from launch_ros.descriptions import ComposableNode


def drivers(context):
    return [LifecycleNode(package='drivers', executable='arm', name=LaunchConfiguration('arm'), namespace='')]


def generate_launch_description():
    print('launch files print what they like')
    here = os.path.dirname(__file__)
    return LaunchDescription([
        DeclareLaunchArgument('arm', default_value='arm_driver'),
        DeclareLaunchArgument('use_sim_time', default_value='false'),
        LogInfo(msg='and log'),
        GroupAction([
            PushROSNamespace('front'),
            LifecycleNode(package='lidar', executable='lidar', name='lidar', namespace='', remappings=[('points', '/scan')]),
            Node(package='tf', executable='robot_state_publisher', name='state_publisher'),
        ]),
        OpaqueFunction(function=drivers),
        TimerAction(period=2.0, actions=[
            LifecycleNode(package='late', executable='late', name='late', namespace='/rear'),
        ]),
        LifecycleNode(package='never', executable='never', name='never', namespace='',
                      condition=IfCondition(LaunchConfiguration('use_sim_time'))),
        ComposableNodeContainer(
            package='rclcpp_components', executable='component_container_mt', name='container', namespace='/vision',
            composable_node_descriptions=[
                ComposableNode(package='camera', plugin='camera::Driver', name='camera', namespace='/vision'),
                ComposableNode(package='camera', plugin='camera::Never', name='never', condition=IfCondition('false')),
            ]),
        LoadComposableNodes(target_container='/vision/container', composable_node_descriptions=[
            ComposableNode(package='camera', plugin='camera::Rectify', name='rectify', namespace='/vision'),
        ]),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(os.path.join(here, 'nav.launch.py')),
                                 launch_arguments=[('robot', 'r1')]),
        Node(package='controller_manager', executable='ros2_control_node', name='controller_manager'),
        Node(package='controller_manager', executable='spawner'),
        Node(package='demo', executable='talker'),
        RegisterEventHandler(None),
        ExecuteProcess(cmd=['gzserver']),
    ])
