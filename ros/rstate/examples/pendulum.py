#!/usr/bin/env python3
"""A pendulum that is to stand upright, and its controller: two participants of a stepped loop, in one process.

    ros2 run rstate pendulum.py
    rstate run config/pendulum.yaml

docs/loop.md shows how its recording becomes a picture.
"""
import math

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rstate.stepped import Step, SteppedNode
from std_msgs.msg import Float64


class Pendulum(SteppedNode):

    def __init__(self):
        super().__init__("pendulum")
        self.angle, self.speed, self.force = 0.5, 0.0, 0.0  # rad, rad/s, rad/s²
        self.angles = self.create_publisher(Float64, "~/angle", 1)
        self.create_subscription(Float64, "/controller/force", self.on_force, 1)

    def on_force(self, message):
        self.force = message.data

    def on_step(self, step):
        if step.phase == Step.Request.RESET:
            self.angle, self.speed, self.force = 0.5, 0.0, 0.0
        elif step.phase == Step.Request.STEP_SIMULATOR:
            self.speed += (9.81 * math.sin(self.angle) + self.force) * step.dt
            self.angle += self.speed * step.dt
            self.angles.publish(Float64(data=self.angle))


class Controller(SteppedNode):

    def __init__(self):
        super().__init__("controller")
        self.angle, self.before = 0.5, 0.5
        self.forces = self.create_publisher(Float64, "~/force", 1)
        self.create_subscription(Float64, "/pendulum/angle", self.on_angle, 1)

    def on_angle(self, message):
        self.before, self.angle = self.angle, message.data

    def on_step(self, step):
        if step.phase == Step.Request.RESET:
            self.angle, self.before = 0.5, 0.5
        elif step.phase == Step.Request.STEP_CONTROLLER:
            self.forces.publish(Float64(data=-30.0 * self.angle - 3.0 * (self.angle - self.before) / step.dt))


if __name__ == "__main__":
    rclpy.init()
    executor, nodes = SingleThreadedExecutor(), [Pendulum(), Controller()]
    for node in nodes:
        executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    rclpy.try_shutdown()
