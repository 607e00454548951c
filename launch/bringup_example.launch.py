"""Starts lifecycle nodes and the daemon that brings them up together: a pattern for the bringup of a robot.

    ros2 launch rstate bringup_example.launch.py autostart:=active

The nodes are demo nodes; put your own in their place, and your network file in that of config/demo.yaml. Launch starts
processes and ends them; their states are the daemon's business, so nothing here asks for a transition. When launch ends, it
ends all processes at once: a node that moves something has to stop it by itself on its way out.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import LifecycleNode
from launch_ros.substitutions import FindPackageShare


def demo_node(name, *options):
    """A node of its own process, with the full name that it has in the network file."""
    return LifecycleNode(
        package='rstate', executable='rstate', name=name, namespace='/',
        arguments=['node', '/' + name, '--log', 'text', '--log-level', LaunchConfiguration('log_level'), *options],
        output='both')


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'autostart', default_value='', choices=['', 'unconfigured', 'inactive', 'active'],
            description='The state to bring the network to, once it is known; empty: leave it as it is.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error'],
            description='The least level that is logged.'),

        demo_node('lidar', '--configure-delay', '2s'),
        demo_node('slam'),
        demo_node('camera'),
        # It offers the service by which the network file says it is armed. Nobody calls that but the command Arm.
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
