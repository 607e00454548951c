"""Starts the daemon of a network.

    ros2 launch rstate rstate.launch.py network:=my_robot.yaml autostart:=active

rstate.launch.xml and rstate.launch.yaml take the same arguments and do the same. Whoever includes one of them should give
all arguments that the including file has under the same names: launch hands those on.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'network',
            description='The network file, as a path.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='The namespace of the daemon. The nodes of the network have full names and stay what they are.'),
        DeclareLaunchArgument(
            'name', default_value='rstate',
            description='The name of the daemon.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error'],
            description='The least level that is logged.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false',
            description='true: deadlines count the time of /clock.'),
        # What may move something is never switched on by a start. The daemon refuses it too.
        DeclareLaunchArgument(
            'autostart', default_value='', choices=['', 'unconfigured', 'inactive', 'active'],
            description='The state to bring the network to, once it is known; empty: leave it as it is.'),
        DeclareLaunchArgument(
            'journal', default_value='',
            description='The folder of the journal; empty: rstate/<name> in $ROS_HOME, else in ~/.ros.'),
        Node(
            package='rstate',
            executable='rstate',
            name=LaunchConfiguration('name'),
            namespace=LaunchConfiguration('namespace'),
            arguments=['run', LaunchConfiguration('network'),
                       '--log', 'text', '--log-level', LaunchConfiguration('log_level')],
            parameters=[{
                'autostart': ParameterValue(LaunchConfiguration('autostart'), value_type=str),
                'journal': ParameterValue(LaunchConfiguration('journal'), value_type=str),
                'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool),
            }],
            output='both',
            # The daemon disarms before it ends, which may take 5 s. A second signal would make it leave at once.
            sigterm_timeout='10.0'),
    ])
