"""What the benchmarks measure, done by rclpy: one JSON command a line in, one JSON line of nanoseconds out.

The server at the other end is the same as for Go. Ends when its input does.
"""
import json
import sys
from time import perf_counter_ns

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String
from std_srvs.srv import SetBool
from test_msgs.action import Fibonacci

PATIENCE = 30.0


class Bench:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("bench_rclpy")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.heard = 0

    def message(self, prefix):
        publisher = self.node.create_publisher(String, prefix + "/rclpy/ping", 10)
        self.node.create_subscription(String, prefix + "/rclpy/pong", self.hear, 10)
        message = String(data="x" * 20)

        def once():
            before = self.heard
            publisher.publish(message)
            while self.heard == before:
                self.executor.spin_once()
        # Until the echo has found both topics, messages are lost.
        while not self.heard:
            publisher.publish(message)
            self.executor.spin_once(timeout_sec=0.1)
        while True:  # and what is still under way is of no use
            before = self.heard
            self.executor.spin_once(timeout_sec=0.5)
            if self.heard == before:
                return once

    def hear(self, _):
        self.heard += 1

    def call(self, prefix):
        client = self.node.create_client(SetBool, prefix + "/call")
        self.wait(client.wait_for_service)
        request = SetBool.Request()
        return lambda: self.until_done(client.call_async(request))

    def goal(self, prefix):
        client = ActionClient(self.node, Fibonacci, prefix + "/goal")
        self.wait(client.wait_for_server)
        goal = Fibonacci.Goal(order=1)

        def once():
            handle = self.until_done(client.send_goal_async(goal))
            self.until_done(handle.get_result_async())
        return once

    def cycle(self, prefix, entities):
        executor, node = SingleThreadedExecutor(), rclpy.create_node(f"cycle_{entities}", start_parameter_services=False)
        executor.add_node(node)
        for i in range(entities):
            node.create_subscription(String, f"{prefix}/rclpy_{entities}/entity_{i}", self.hear, 10)
        publisher = node.create_publisher(String, f"{prefix}/rclpy_{entities}/entity_{entities // 2}", 10)
        message = String(data="x" * 20)

        def once():
            before = self.heard
            publisher.publish(message)
            while self.heard == before:
                executor.spin_once()
        return once

    def until_done(self, future):
        """What spin_until_future_complete does, which is many times slower on Jazzy: it wakes the executor for nothing."""
        while not future.done():
            self.executor.spin_once()
        return future.result()

    def wait(self, there):
        if not there(timeout_sec=PATIENCE):
            raise RuntimeError("no answer")

    def run(self):
        made = {}
        print(json.dumps([]), flush=True)
        for line in sys.stdin:
            cmd = json.loads(line)
            key = cmd["what"]
            if key not in made:
                what, _, entities = key.partition("/")
                args = [int(entities)] if entities else []
                made[key] = getattr(self, what)(cmd["prefix"], *args)
                made[key]()
            once, took = made[key], []
            for _ in range(cmd["count"]):
                start = perf_counter_ns()
                once()
                took.append(perf_counter_ns() - start)
            print(json.dumps(took), flush=True)
        self.node.destroy_node()
        rclpy.shutdown()


Bench().run()
