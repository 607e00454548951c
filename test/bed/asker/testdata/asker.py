"""A client that sends goals: asker.py ACTION. It is asker.cpp in rclpy."""
import os
import sys
import threading

import rclpy
from rclpy.action import ActionClient
from rstate_msgs.action import Transition


def say(what):
    os.write(2, f"{what}\n".encode())  # at once: two threads say something


def answered(sent):
    say("accepted" if sent.result().accepted else "rejected")


rclpy.init()
node = rclpy.create_node("asker")
client = ActionClient(node, Transition, sys.argv[1])
threading.Thread(target=rclpy.spin, args=(node,), daemon=True).start()
client.wait_for_server()
say("ready")
for line in sys.stdin:
    command, seen, name = line.rstrip("\n").split(" ")
    goal = Transition.Goal(command=command, seen=seen.removeprefix("-"), client=name)
    client.send_goal_async(goal).add_done_callback(answered)
    say("sent")
