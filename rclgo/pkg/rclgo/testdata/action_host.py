"""An rclpy peer for the action tests: one JSON command a line in, one JSON event a line out.

Goals of test_msgs/action/Fibonacci say by their order what the server is to do with them:
negative ones are rejected, HOLD runs until it is cancelled, STUBBORN refuses to be
cancelled and runs until a command lets it go, ABORT aborts with a result, others succeed
after one feedback for each step. Ends when its input does.
"""
import json
import sys
import threading

import rclpy
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from test_msgs.action import Fibonacci

HOLD, STUBBORN, ABORT = 1000, 1001, 1002
lock = threading.Lock()


def emit(**event):
    with lock:
        print(json.dumps(event), flush=True)


def result(*sequence):
    out = Fibonacci.Result()
    out.sequence = sequence
    return out


class Client(ActionClient):
    """A client that a spinning node may get. On Jazzy rclpy sends first and then notes what it asked, and drops an
    answer that comes between: no answer is taken while it asks. On Kilted rclpy makes the lock last, and a spin before
    that fails."""

    def __init__(self, *args, **kwargs):
        self.asking, self._lock = threading.RLock(), threading.Lock()
        super().__init__(*args, **kwargs)

    def take_data(self):
        with self.asking:
            return super().take_data()

    def send_goal_async(self, *args, **kwargs):
        with self.asking:
            return super().send_goal_async(*args, **kwargs)

    def _cancel_goal_async(self, goal_handle):
        with self.asking:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle):
        with self.asking:
            return super()._get_result_async(goal_handle)


class Host:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("action_host")
        self.group = ReentrantCallbackGroup()
        self.released = threading.Event()
        self.cancelled = threading.Condition()
        self.things = {}
        self.goals = {}
        self.executor = MultiThreadedExecutor(8)
        self.executor.add_node(self.node)
        self.ended = threading.Event()

    # server

    def serve(self, cmd):
        self.things[cmd["id"]] = ActionServer(
            self.node, Fibonacci, cmd["name"], self.execute, callback_group=self.group,
            goal_callback=lambda goal: GoalResponse.REJECT if goal.order < 0 else GoalResponse.ACCEPT,
            cancel_callback=self.cancel_asked, result_timeout=cmd.get("timeout", 60))

    def cancel_asked(self, goal):
        if goal.request.order == STUBBORN:
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    def execute(self, goal):
        order = goal.request.order
        feedback = Fibonacci.Feedback()
        if order == HOLD:
            feedback.sequence = [1]
            goal.publish_feedback(feedback)
            while not goal.is_cancel_requested:
                with self.cancelled:
                    self.cancelled.wait(0.01)
            goal.canceled()
            return result(HOLD)
        if order == STUBBORN:
            self.released.wait(60)
            goal.succeed()
            return result(STUBBORN)
        if order == ABORT:
            goal.abort()
            return result(ABORT)
        sequence = [0, 1]
        for _ in range(order):
            sequence.append(sequence[-1] + sequence[-2])
            feedback.sequence = sequence
            goal.publish_feedback(feedback)
        goal.succeed()
        return result(*sequence)

    def release(self, cmd):
        self.released.set()

    # client

    def client(self, cmd):
        self.things[cmd["id"]] = client = Client(self.node, Fibonacci, cmd["name"], callback_group=self.group)
        if not client.wait_for_server(timeout_sec=30.0):
            raise RuntimeError("no server")

    def send(self, cmd):
        goal = Fibonacci.Goal()
        goal.order = cmd["order"]
        id = cmd["id"]

        def answered(future):
            handle = self.goals[id] = future.result()
            emit(event="accepted" if handle.accepted else "rejected", id=id)
            if handle.accepted:
                self.result(cmd)

        def fed(msg):
            emit(event="feedback", id=id, msg={"sequence": list(msg.feedback.sequence)})

        self.things[cmd["client"]].send_goal_async(goal, feedback_callback=fed).add_done_callback(answered)

    def result(self, cmd):
        def ended(future):
            r = future.result()
            emit(event="ended", id=cmd["id"], msg={"status": r.status, "sequence": list(r.result.sequence)})
        self.goals[cmd["id"]].get_result_async().add_done_callback(ended)

    def cancel(self, cmd):
        self.cancelling(cmd, self.goals[cmd["id"]].cancel_goal_async())

    def cancel_all(self, cmd):
        client = self.node.create_client(CancelGoal, cmd["name"] + "/_action/cancel_goal")
        if not client.wait_for_service(timeout_sec=30.0):
            raise RuntimeError("no service")
        self.things[cmd["id"]] = client
        self.cancelling(cmd, client.call_async(CancelGoal.Request()))

    def cancelling(self, cmd, future):
        def answered(future):
            r = future.result()
            emit(event="cancel", id=cmd["id"], msg={"code": r.return_code, "count": len(r.goals_canceling)})
        future.add_done_callback(answered)

    def run(self):
        spinner = threading.Thread(target=self.spin, daemon=True)
        spinner.start()
        emit(event="ready")
        for line in sys.stdin:
            cmd = json.loads(line)
            try:
                getattr(self, cmd["op"])(cmd)
                emit(event="done", id=cmd["id"], op=cmd["op"])
            except Exception as e:  # the test reports it
                emit(event="failed", id=cmd["id"], error=repr(e))
        self.ended.set()
        self.executor.create_task(lambda: None)
        spinner.join(5)
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def spin(self):
        """Not executor.spin, which may wait for ever after a shutdown of the executor by another thread."""
        while not self.ended.is_set():
            self.executor.spin_once()


Host().run()
