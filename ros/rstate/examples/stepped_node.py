#!/usr/bin/env python3
"""A participant of a stepped loop: a world in which a ball falls to the ground.

    ros2 run rstate stepped_node.py --ros-args -r __node:=world -p height:=10.0

Its lines in a network file with the machine cle, roscle or cloe:

    nodes: {/world: {}}
    loop: {participants: {/world: {as: simulator}}}

It moves only when it is called, so the ball falls equally long on every machine: 71 steps of 20 ms from 10 m.
"""
from rclpy.lifecycle import TransitionCallbackReturn
from rstate.stepped import Step, SteppedNode, main
from std_msgs.msg import Float64

GRAVITY = 9.81  # m/s²


class World(SteppedNode):

    def __init__(self):
        super().__init__("stepped_node")
        self.drop = self.declare_parameter("height", 10.0).value  # m
        self.height, self.speed = self.drop, 0.0
        self.moved = self.height, self.speed  # where the step leads
        self.heights = self.create_publisher(Float64, "~/height", 1)

    def on_step(self, step):
        """Answers a phase. An exception stops the loop, which says why."""
        if step.phase == Step.Request.RESET:
            self.height, self.speed = self.drop, 0.0
        elif step.phase == Step.Request.STEP_BEGIN:
            self.moved = self.height, self.speed
        elif step.phase == Step.Request.STEP_SIMULATOR:
            # A step that was interrupted is run again with the same number. So what it did counts from its end.
            speed = self.speed + GRAVITY * step.dt
            self.moved = max(self.height - speed * step.dt, 0.0), speed
        elif step.phase == Step.Request.STEP_END:
            self.height, self.speed = self.moved
            self.heights.publish(Float64(data=self.height))
            if self.height == 0.0:
                step.succeed("the ball has hit the ground")

    def on_error(self, state):
        return TransitionCallbackReturn.SUCCESS


if __name__ == "__main__":
    main(World)
