"""Sends goals as `ros2 action send_goal` does, and presses Ctrl-C at a random moment after the client knows each as accepted.

Usage: ctrl_c.py ACTION ROUNDS. Prints one JSON line a round: what became of it, and after which delay Ctrl-C came.

The steps and their order are those of the verb send_goal of ros2cli, which is not installed here: spin until the goal is
answered, ask for the result, spin until that is there. Ctrl-C asks for a cancel if the client's last known status of the goal
is accepted or executing, and spins until that is answered. (Since 2025 the verb has a handler of its own for SIGINT, so that
the context lives on.) On a busy machine the status arrives some 30 ms after the answer, and until then the verb ends at Ctrl-C
without asking for a cancel, whatever the server does. So here Ctrl-C waits for the status, and a status that never arrives ends
the test.
"""
import json
import os
import random
import signal
import sys
import threading
import time

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.signals import SignalHandlerOptions
from rstate_msgs.action import Transition

UNDER_WAY = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)


def spin(node, future):
    """Python handles a signal only between two spins."""
    while not future.done():
        rclpy.spin_until_future_complete(node, future, timeout_sec=0.05)
    return future.result()


def cancel(node, handle):
    """What the verb does on Ctrl-C. Returns what its user sees."""
    if handle is None or handle.status not in UNDER_WAY:
        return "not asked for a cancel"
    answer = spin(node, handle.cancel_goal_async())
    return "cancelled" if [g.goal_id for g in answer.goals_canceling] == [handle.goal_id] else "cancel refused"


def send_goal(action, command, accepted):
    """Returns what the user sees last."""
    handle = None
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(f"ctrl_c_{os.getpid()}")
    client = ActionClient(node, Transition, action)
    try:
        goal = Transition.Goal()
        goal.command = command
        client.wait_for_server()
        handle = spin(node, client.send_goal_async(goal))
        if not handle.accepted:
            return "rejected"
        result = handle.get_result_async()
        while handle.status not in UNDER_WAY and not result.done():
            rclpy.spin_once(node, timeout_sec=0.05)
        accepted()
        spin(node, result)
        return "ended"
    except KeyboardInterrupt:
        return cancel(node, handle)
    finally:
        client.destroy()
        node.destroy_node()
        rclpy.shutdown()


def press(delay):
    time.sleep(delay)
    os.kill(os.getpid(), signal.SIGINT)


def try_once(action):
    """One call of the verb, with Ctrl-C. Returns 0 if the goal was accepted, and had not ended before Ctrl-C."""
    delay = random.uniform(0, 0.3)
    presses = []

    def accepted():
        presses.append(threading.Thread(target=press, args=(delay,)))
        presses[0].start()

    seen = send_goal(action, "configure", accepted)
    for thread in presses:
        thread.join()
    if seen in ("rejected", "ended"):
        return 1
    print(json.dumps({"seen": seen, "delay": round(delay, 3)}), flush=True)
    return 0


def make_way(action):
    """Waits out what the last goal has left: the network on its way back, or a goal that was not cancelled."""
    time.sleep(0.1)
    send_goal(action, "unconfigured", lambda: None)
    return 0


def apart(do, *args):
    """Runs do in a process of its own, as each call of the verb is, and returns its exit code."""
    child = os.fork()
    if child == 0:
        sys.exit(do(*args))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(action, rounds):
    for _ in range(rounds):
        while apart(try_once, action) != 0:
            apart(make_way, action)


main(sys.argv[1], int(sys.argv[2]))
