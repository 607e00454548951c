"""Starts lifecycle nodes and the daemon that brings them up together: a pattern for the bringup of a robot.

    ros2 launch rstate bringup_example.launch.py autostart:=active

The nodes are demo nodes. Replace them with your own, and config/demo.yaml with your network file. Launch starts and ends
processes; the daemon changes their states, so this file asks for no transition. When launch ends, it signals all processes
at once: a node that moves something must stop it by itself when it ends.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import LifecycleNode
from launch_ros.substitutions import FindPackageShare


def demo_node(name, *options):
    """Return a node in a process of its own, with the full name that it has in the network file."""
    return LifecycleNode(
        package='rstate', executable='rstate', name=name, namespace='/',
        arguments=['node', '/' + name, '--log', 'text', '--log-level', LaunchConfiguration('log_level'), *options],
        output='both')


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'autostart', default_value='', choices=['', 'unconfigured', 'inactive', 'active'],
            description='The state to reach after the start; empty: none.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error'],
            description='The lowest level that is logged.'),

        demo_node('lidar', '--configure-delay', '2s'),
        demo_node('slam'),
        demo_node('camera'),
        # It offers the arming service that the network file names. Only the command arm calls it.
        demo_node('arm_driver', '--arm-service', '/arm_driver/arm'),

        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), 'rstate.launch.py'])),
            launch_arguments={
                'network': PathJoinSubstitution([FindPackageShare('rstate'), 'config', 'demo.yaml']),
                'namespace': '',
                'name': 'rstate',
                'log_level': LaunchConfiguration('log_level'),
                'use_sim_time': 'false',
                'autostart': LaunchConfiguration('autostart'),
                'journal': '',
            }.items()),
    ])
