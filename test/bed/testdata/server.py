"""An action server for the bed's clients: it does what the goal's command says."""
import sys
import time

import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.executors import MultiThreadedExecutor
from rstate_msgs.action import Transition
from rstate_msgs.msg import NodeResult


def run(goal):
    feedback = Transition.Feedback(done=1, total=2, last=NodeResult(name="/lidar"))
    goal.publish_feedback(feedback)
    result = Transition.Result(success=goal.request.command == "succeed", message="as told")
    result.nodes = [NodeResult(name="/lidar", verdict=NodeResult.DONE)]
    if goal.request.command == "wait":
        while not goal.is_cancel_requested:  # what is sent before the client is matched is lost
            goal.publish_feedback(feedback)
            time.sleep(0.01)
        goal.canceled()
    elif result.success:
        goal.succeed()
    else:
        goal.abort()
    return result


rclpy.init()
node = rclpy.create_node(sys.argv[1])
ActionServer(node, Transition, "~/transition", run,
             goal_callback=lambda goal: GoalResponse.REJECT if goal.command == "refuse" else GoalResponse.ACCEPT,
             cancel_callback=lambda goal: CancelResponse.ACCEPT)
print("serving", flush=True)
executor = MultiThreadedExecutor(4)
executor.add_node(node)
executor.spin()
