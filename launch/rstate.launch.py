"""Starts the daemon of a network.

    ros2 launch rstate rstate.launch.py network:=my_robot.yaml autostart:=active

rstate.launch.xml and rstate.launch.yaml take the same arguments and do the same. If your launch file includes one of them,
pass every argument that your file has under the same name: otherwise launch hands it on.
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
            description='The namespace of the daemon. It does not change the names of the nodes in the network file.'),
        DeclareLaunchArgument(
            'name', default_value='rstate',
            description='The name of the daemon.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error'],
            description='The lowest level that is logged.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false',
            description='true: deadlines count the time of /clock.'),
        # Which states there are depends on the machine of the network. The daemon refuses an autostart that arms.
        DeclareLaunchArgument(
            'autostart', default_value='',
            description='The state to reach after the start; empty: none.'),
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
            # The daemon disarms before it ends, which may take 5 s. A second signal would end it at once.
            sigterm_timeout='10.0'),
    ])
