#!/usr/bin/env python3
"""A stop button: a node that repeats whether the network has to stop.

    ros2 run rstate stop_button.py --ros-args -r estop:=/estop

Its line in the network file:

    stop: [{topic: /estop}]

In this example a service is the button: `ros2 service call /stop_button/press std_srvs/srv/SetBool "{data: true}"`
presses it, and `{data: false}` releases it. Read your hardware in on_cycle instead. A node that cannot read its hardware
says nothing: rstate counts silence as a stop.
"""
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

CYCLE = 0.05  # s: ten times in the 500 ms that rstate waits


class StopButton(Node):

    def __init__(self):
        super().__init__("stop_button")
        self.pressed = False
        # Nothing is kept for readers that come later: an old "clear" must not count.
        self.publisher = self.create_publisher(Bool, "estop", QoSProfile(
            depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE))
        self.create_service(SetBool, "~/press", self.on_press)
        self.create_timer(CYCLE, self.on_cycle)

    def on_press(self, request, response):
        self.pressed = request.data
        self.on_cycle()  # a press does not wait for the next cycle
        response.success, response.message = True, "pressed" if self.pressed else "released"
        return response

    def on_cycle(self):
        self.publisher.publish(Bool(data=self.pressed))


def main():
    rclpy.init()
    node = StopButton()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
