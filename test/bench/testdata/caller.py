"""What people write who have no coordinator: a client of every node's change_state, used at once, at once after a look at where
each node is, or one by one.

caller.py PREFIX COUNT
"""
import sys
import time

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.executors import SingleThreadedExecutor

from peer import now, serve

IDS = {
    "configure": Transition.TRANSITION_CONFIGURE,
    "cleanup": Transition.TRANSITION_CLEANUP,
    "activate": Transition.TRANSITION_ACTIVATE,
    "deactivate": Transition.TRANSITION_DEACTIVATE,
}
PATIENCE = 60.0


class Caller:
    def __init__(self, prefix, count):
        self.node = rclpy.create_node(prefix + "_caller")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.clients = [self.node.create_client(ChangeState, f"/{prefix}_{i + 1}/change_state") for i in range(int(count))]
        self.readers = [self.node.create_client(GetState, f"/{prefix}_{i + 1}/get_state") for i in range(int(count))]
        deadline = time.monotonic() + PATIENCE
        for client in self.clients + self.readers:
            while not client.service_is_ready():
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{client.srv_name} is not there")
                time.sleep(0.01)

    def ask(self, client, word):
        return client.call_async(ChangeState.Request(transition=Transition(id=IDS[word], label=word)))

    def wait(self, futures):
        while not all(f.done() for f in futures):
            self.executor.spin_once(timeout_sec=1)

    def done(self, futures):
        self.wait(futures)
        if not all(f.result().success for f in futures):
            raise RuntimeError("a node refused")

    def at_once(self, words):
        """Sends each word to all nodes at once, the next one after all answers."""
        start = now()
        for word in words:
            self.done([self.ask(client, word) for client in self.clients])
        return now() - start

    def reading_first(self, words):
        """Reads the state of each node, so that each word is legal, and then sends each word to all at once."""
        start = now()
        reads = [reader.call_async(GetState.Request()) for reader in self.readers]
        self.wait(reads)
        if len({f.result().current_state.id for f in reads}) != 1:
            raise RuntimeError("the nodes are in different states")
        self.at_once(words)
        return now() - start

    def in_sequence(self, words):
        """Sends each word to one node after another."""
        start = now()
        for word in words:
            for client in self.clients:
                self.done([self.ask(client, word)])
        return now() - start

    def close(self):
        self.node.destroy_node()


serve(lambda: Caller(*sys.argv[1:]))
