"""Lifecycle nodes of one process, as a robot has them: nodes.py PREFIX COUNT single|multi makes /PREFIX_1, /PREFIX_2, …

A single-threaded executor takes one callback after another, of whichever node. The multi-threaded one has a thread for
each node. Callbacks that raise a node take the time that they are told to; those that lower it take none.
"""
import random
import sys
import threading
import time

from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from peer import now, serve


class Managed(LifecycleNode):
    def __init__(self, name, group):
        super().__init__(name)
        self.group = group
        self.returned = 0  # when the newest callback returned
        for service in self.services:
            if service.srv_name.rpartition("/")[2] in ("change_state", "get_state"):
                self.answers(service)

    def answers(self, service):
        """Puts the group between the service and the wire."""
        send = service.send_response

        def send_response(response, header):
            if not self.group.loses():
                self.answered = now()
                send(response, header)

        service.send_response = send_response

    def work(self, seconds):
        if seconds:
            time.sleep(seconds)
        self.returned = now()
        return TransitionCallbackReturn.SUCCESS

    def on_configure(self, _):
        return self.work(self.group.seconds)

    def on_activate(self, _):
        return self.work(self.group.seconds)

    def on_deactivate(self, _):
        return self.work(0)

    def on_cleanup(self, _):
        return self.work(0)


class Group:
    def __init__(self, prefix, count, kind):
        self.seconds, self.share, self.lost = 0.0, 0.0, 0
        self.random = random.Random()
        count = int(count)
        self.executor = SingleThreadedExecutor() if kind == "single" else MultiThreadedExecutor(count + 1)
        self.nodes = [Managed(f"{prefix}_{i + 1}", self) for i in range(count)]
        for node in self.nodes:
            self.executor.add_node(node)
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def loses(self):
        if self.random.random() >= self.share:
            return False
        self.lost += 1
        return True

    def work(self, seconds):
        self.seconds = seconds

    def lose(self, share, seed):
        """Drops that share of the answers from now on. Returns how many were dropped so far."""
        self.share = share
        self.random.seed(seed)
        lost, self.lost = self.lost, 0
        return lost

    def last(self):
        """When the last node's newest callback returned, and when the last answer was about to be sent."""
        return {"returned": max(n.returned for n in self.nodes), "answered": max(n.answered for n in self.nodes)}

    def states(self):
        """The real states of the nodes, independent of what other processes have received."""
        return [n._state_machine.current_state[1] for n in self.nodes]

    def close(self):
        self.executor.shutdown(timeout_sec=0)


serve(lambda: Group(*sys.argv[1:]))
