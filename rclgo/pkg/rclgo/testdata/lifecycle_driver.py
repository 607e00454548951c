"""A client of lifecycle nodes, for the tests of rclgo's.

Reads requests from stdin and writes answers and transition events to stdout, one JSON
object a line, in the order in which they come. Ends with its stdin.
"""
import json
import sys
import threading

import rclpy
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import (
    ChangeState, GetAvailableStates, GetAvailableTransitions, GetState)
from rclpy.executors import SingleThreadedExecutor

SERVICES = {
    'change_state': ChangeState,
    'get_state': GetState,
    'get_available_states': GetAvailableStates,
    'get_available_transitions': GetAvailableTransitions,
    'get_transition_graph': GetAvailableTransitions,
}

stdout_lock = threading.Lock()


def say(**what):
    with stdout_lock:
        print(json.dumps(what), flush=True)


def state(s):
    return {'id': s.id, 'label': s.label}


def edge(d):
    return {'id': d.transition.id, 'label': d.transition.label,
            'start': d.start_state.label, 'goal': d.goal_state.label}


def answer(response):
    if hasattr(response, 'success'):
        return {'success': response.success}
    if hasattr(response, 'current_state'):
        return {'states': [state(response.current_state)]}
    if hasattr(response, 'available_states'):
        return {'states': [state(s) for s in response.available_states]}
    return {'edges': [edge(d) for d in response.available_transitions]}


class Target:
    """The clients and the subscription for one node."""

    def __init__(self, node, name):
        self.clients = {
            op: node.create_client(srv, f'{name}/{op}') for op, srv in SERVICES.items()}
        self.subscription = node.create_subscription(
            TransitionEvent, f'{name}/transition_event',
            lambda msg: say(node=name, event=edge(msg)), 100)

        self.found = set()

    def call(self, request):
        client = self.clients[request['op']]
        if client not in self.found:  # later it may be gone on purpose
            if not client.wait_for_service(timeout_sec=30):
                say(id=request['id'], error=f'no service {client.srv_name}')
                return
            self.found.add(client)
        message = client.srv_type.Request()
        if request['op'] == 'change_state':
            message.transition.id = request.get('transition', 0)
            message.transition.label = request.get('label', '')
        client.call_async(message).add_done_callback(
            lambda future: say(id=request['id'], **answer(future.result())))


def serve(node, ended):
    targets = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request['node']
        if name not in targets:
            targets[name] = Target(node, name)
        targets[name].call(request)
    ended.set()


def main():
    rclpy.init()
    node = rclpy.create_node('lifecycle_driver')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    ended = threading.Event()  # not executor.shutdown: executor.spin may wait for ever after that
    threading.Thread(target=serve, args=[node, ended]).start()
    while not ended.is_set():
        executor.spin_once(timeout_sec=0.1)
    node.destroy_node()
    rclpy.try_shutdown()


main()
