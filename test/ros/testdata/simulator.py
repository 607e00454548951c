"""A simulator that speaks simulation_interfaces and knows nothing of rstate. It prints each call.

Arguments: its node, and words: without=FEATURE, no=SERVICE, base=NAMESPACE of its services, fails=N (the N-th step fails),
hangs=N, stays=1 (it cannot be paused).
"""
import sys
import threading

import rclpy
from rclpy.executors import MultiThreadedExecutor
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState, GetSimulatorFeatures, ResetSimulation, SetSimulationState, StepSimulation)

PERIOD = 0.002
FEATURES = ["SIMULATION_RESET", "SIMULATION_STATE_GETTING", "SIMULATION_STATE_SETTING", "SIMULATION_STATE_PAUSE",
            "STEP_SIMULATION_SINGLE", "STEP_SIMULATION_MULTIPLE"]


def say(*words):
    print(*words, flush=True)


class Simulator(Node):

    def __init__(self, name, words):
        super().__init__(name)
        pairs = [word.split("=") for word in words]
        self.flags = dict(pairs)
        self.lacks = [value for key, value in pairs if key == "without"]
        self.iterations, self.calls, self.state = 0, 0, SimulationState.STATE_PLAYING
        group = ReentrantCallbackGroup()
        base = self.flags.get("base", "~")
        for kind, service, callback in [
                (GetSimulatorFeatures, "get_simulator_features", self.features),
                (GetSimulationState, "get_simulation_state", self.get_state),
                (SetSimulationState, "set_simulation_state", self.set_state),
                (StepSimulation, "step_simulation", self.step),
                (ResetSimulation, "reset_simulation", self.reset)]:
            if self.flags.get("no") != service:
                self.create_service(kind, f"{base}/{service}", callback, callback_group=group)
        say("ready")

    def features(self, _, response):
        response.features.features = [getattr(SimulatorFeatures, f) for f in FEATURES if f not in self.lacks]
        say("features")
        return response

    def get_state(self, _, response):
        response.state.state = self.state
        response.result.result = Result.RESULT_OK
        return response

    def set_state(self, request, response):
        say("state", request.state.state)
        if "stays" in self.flags:
            response.result.result = SetSimulationState.Response.STATE_TRANSITION_ERROR
            response.result.error_message = "the physics thread is stuck"
            return response
        response.result.result = Result.RESULT_OK
        if self.state == request.state.state:
            response.result.result = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
        self.state = request.state.state
        return response

    def step(self, request, response):
        self.calls += 1
        if str(self.calls) == self.flags.get("hangs"):
            say("hangs")
            threading.Event().wait()
        if self.state != SimulationState.STATE_PAUSED:
            response.result.result = Result.RESULT_INCORRECT_STATE
            response.result.error_message = "it is not paused"
        elif str(self.calls) == self.flags.get("fails"):
            response.result.result = Result.RESULT_OPERATION_FAILED
            response.result.error_message = "the left wheel\n\x1b[31mfell off"
        else:
            self.iterations += request.steps
            response.result.result = Result.RESULT_OK
        say(f"step {request.steps} call {self.calls} time {self.iterations * PERIOD:.3f}")
        return response

    def reset(self, request, response):
        say("reset", request.scope)
        self.iterations = 0
        self.state = SimulationState.STATE_PLAYING  # some simulators run on after a reset
        response.result.result = Result.RESULT_OK
        return response


rclpy.init()
executor = MultiThreadedExecutor(num_threads=4)
executor.add_node(Simulator(sys.argv[1], sys.argv[2:]))
executor.spin()
