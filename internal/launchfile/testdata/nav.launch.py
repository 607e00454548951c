from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    robot = LaunchConfiguration('robot')
    return LaunchDescription([
        DeclareLaunchArgument('robot'),
        Node(package='nav2_map_server', executable='map_server', name='map_server', namespace=robot,
             parameters=['/params.yaml', {'use_sim_time': True}]),
        Node(package='nav2_lifecycle_manager', executable='lifecycle_manager', name='manager', namespace=robot,
             parameters=[{'node_names': ['map_server']}]),
    ])
