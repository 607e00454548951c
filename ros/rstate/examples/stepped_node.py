#!/usr/bin/env python3
"""A participant of a stepped loop: a world in which a ball falls to the ground.

    ros2 run rstate stepped_node.py --ros-args -r __node:=world -p height:=10.0

Its lines in a network file with the machine cle, roscle or cloe:

    nodes: {/world: {}}
    loop: {participants: {/world: {as: simulator}}}

It moves only when it is called, so the ball falls equally long on every machine: 71 steps of 20 ms from 10 m.
"""
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rstate_msgs.srv import Step
from std_msgs.msg import Float64

GRAVITY = 9.81  # m/s²


class SteppedNode(LifecycleNode):

    def __init__(self):
        super().__init__("stepped_node")
        self.drop = self.declare_parameter("height", 10.0).value  # m
        self.active = False
        self.height, self.speed = self.drop, 0.0
        self.moved = self.height, self.speed  # where the step leads
        self.heights = self.create_publisher(Float64, "~/height", 1)
        self.create_service(Step, "~/step", self.on_step)

    def on_step(self, request, response):
        """Answers a phase. An error stops the loop, also one that is raised: then no answer comes."""
        if not self.active:
            response.message = "it is not active"
            return response
        if request.phase == Step.Request.RESET:
            self.height, self.speed = self.drop, 0.0
        elif request.phase == Step.Request.STEP_BEGIN:
            self.moved = self.height, self.speed
        elif request.phase == Step.Request.STEP_SIMULATOR:
            # A step that was interrupted is run again with the same number. So what it did counts from its end.
            dt = request.dt.sec + request.dt.nanosec / 1e9
            speed = self.speed + GRAVITY * dt
            self.moved = max(self.height - speed * dt, 0.0), speed
        elif request.phase == Step.Request.STEP_END:
            self.height, self.speed = self.moved
            self.heights.publish(Float64(data=self.height))
            if self.height == 0.0:
                response.want, response.message = Step.Response.SUCCEED, "the ball has hit the ground"
        response.ok = True
        return response

    def on_activate(self, state):
        self.active = True
        return super().on_activate(state)

    def on_deactivate(self, state):
        self.active = False
        return super().on_deactivate(state)

    def on_error(self, state):
        self.active = False
        return TransitionCallbackReturn.SUCCESS


def main():
    rclpy.init()
    node = SteppedNode()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
