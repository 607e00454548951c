"""A client of simulation_interfaces, as one writes it for Gazebo. It uses ~/state of rstate to know that it is found.

Arguments: the namespace of the services, and what to do, word by word: features, state, set=STATE_PAUSED, step=5, steps=3
(the action), cancel=1000 (the same, cancelled after its first feedback), reset=0. It prints a line for each answer.
"""
import sys
import time

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import InstanceState
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState, GetSimulatorFeatures, ResetSimulation, SetSimulationState, StepSimulation)

WAIT = 20.0  # the test waits for 30 s: what did not come is said before that


def names(kind, *prefixes):
    """The names of constants, by value."""
    found = {}
    for holder in (kind if isinstance(kind, tuple) else (kind,)):
        for name in dir(type(holder)):
            if name.isupper() and (not prefixes or name.startswith(prefixes)):
                found[getattr(holder, name)] = name
    return found


STATES = names(SimulationState, "STATE_")
CODES = names((Result, SetSimulationState.Response))
FEATURES = names(SimulatorFeatures)


class Client(Node):

    def __init__(self, base):
        super().__init__("simulation_client")
        self.base = base
        self.made = {}

    def client(self, kind, name):
        if name not in self.made:
            self.made[name] = self.create_client(kind, f"{self.base}/{name}")
            if not self.made[name].wait_for_service(WAIT):
                raise SystemExit(f"there is no {name}")
        return self.made[name]

    def call(self, kind, name, **fields):
        return self.wait(self.client(kind, name).call_async(kind.Request(**fields)))

    def wait(self, future):
        rclpy.spin_until_future_complete(self, future, timeout_sec=WAIT)
        if not future.done():
            raise SystemExit("what was waited for did not come")
        return future.result()

    def is_found(self):
        """Waits until the daemon has found all that this node has, or the first feedback could be lost: it hears of the
        parts of a node in the order in which they are made, and sends its latched state when it finds the last one."""
        heard = rclpy.task.Future()
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        last = self.create_subscription(InstanceState, f"{self.base}/state", heard.set_result, latched)
        self.wait(heard)
        self.destroy_subscription(last)

    def features(self, _):
        found = self.call(GetSimulatorFeatures, "get_simulator_features").features
        return " ".join(FEATURES[f] for f in found.features) + "; " + found.custom_info

    def state(self, _):
        answer = self.call(GetSimulationState, "get_simulation_state")
        return STATES[answer.state.state] + " " + said(answer.result)

    def set(self, state):
        wanted = SimulationState(state=getattr(SimulationState, state))
        return said(self.call(SetSimulationState, "set_simulation_state", state=wanted).result)

    def step(self, count):
        return said(self.call(StepSimulation, "step_simulation", steps=int(count)).result)

    def reset(self, scope):
        return said(self.call(ResetSimulation, "reset_simulation", scope=int(scope)).result)

    def steps(self, count, cancel=False):
        action = ActionClient(self, SimulateSteps, f"{self.base}/simulate_steps")
        if not action.wait_for_server(WAIT):
            raise SystemExit("there is no simulate_steps")
        self.is_found()
        heard = []
        goal = self.wait(action.send_goal_async(
            SimulateSteps.Goal(steps=int(count)),
            feedback_callback=lambda m: heard.append((m.feedback.completed_steps, m.feedback.remaining_steps))))
        if not goal.accepted:
            return "rejected"
        result = goal.get_result_async()
        if cancel:
            while not heard and not result.done():
                rclpy.spin_once(self, timeout_sec=1.0)
            self.wait(goal.cancel_goal_async())
        answer = self.wait(result)
        behind = time.monotonic() + WAIT  # feedback may be behind the result
        while not cancel and answer.status == 4 and len(heard) < int(count) and time.monotonic() < behind:
            rclpy.spin_once(self, timeout_sec=1.0)
        shown = [] if cancel else [f"{done}/{left} " for done, left in heard]
        return f"{''.join(shown)}status {answer.status} {said(answer.result.result)}"

    def cancel(self, count):
        return self.steps(count, cancel=True)


def said(result):
    return f"{CODES[result.result]} {result.error_message}".strip()


rclpy.init()
client = Client(sys.argv[1])
for word in sys.argv[2:]:
    command, _, argument = word.partition("=")
    print(f"{word}: {getattr(client, command)(argument)}", flush=True)
print("done", flush=True)
