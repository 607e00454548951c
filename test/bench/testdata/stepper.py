"""What people write who have no coordinator: a client of every participant's step. It makes all calls of a phase at once (cycles),
or one call after another (in_turn).

stepper.py PREFIX COUNT SIMULATORS
"""
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rstate_msgs.srv import Step

from peer import now, serve

PATIENCE = 60.0


class Stepper:
    def __init__(self, prefix, count, simulators):
        self.node = rclpy.create_node(prefix + "_stepper")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        clients = [self.node.create_client(Step, f"/{prefix}_{i + 1}/step") for i in range(int(count))]
        deadline = time.monotonic() + PATIENCE
        for client in clients:
            while not client.service_is_ready():
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{client.srv_name} is not there")
                time.sleep(0.01)
        n = int(simulators)
        self.phases = [
            (Step.Request.STEP_BEGIN, clients), (Step.Request.STEP_SIMULATOR, clients[:n]),
            (Step.Request.STEP_CONTROLLER, clients[n:]), (Step.Request.STEP_END, clients),
        ]

    def cycles(self, count):
        start = now()
        for step in range(count):
            for phase, clients in self.phases:
                request = Step.Request(step=step + 1, phase=phase)
                request.dt.nanosec = 20_000_000
                futures = [client.call_async(request) for client in clients]
                while not all(f.done() for f in futures):
                    self.executor.spin_once(timeout_sec=1)
                if not all(f.result().ok for f in futures):
                    raise RuntimeError("a participant failed")
        return now() - start

    def in_turn(self, count):
        start = now()
        for step in range(count):
            for phase, clients in self.phases:
                request = Step.Request(step=step + 1, phase=phase)
                request.dt.nanosec = 20_000_000
                for client in clients:
                    future = client.call_async(request)
                    self.executor.spin_until_future_complete(future)
                    if not future.result().ok:
                        raise RuntimeError("a participant failed")
        return now() - start

    def close(self):
        self.node.destroy_node()


serve(lambda: Stepper(*sys.argv[1:]))
