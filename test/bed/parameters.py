"""rclpy's own client of other nodes' parameters, as launch files and tools use it."""
import threading

from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

from clients import wait
from convert import plain


class Parameters:
    def __init__(self, clients):
        self.clients = clients
        self.lock = threading.Lock()
        self.held = {}

    def client(self, node, timeout):
        with self.lock:
            if node not in self.held:
                self.held[node] = AsyncParameterClient(self.clients.node, node, callback_group=self.clients.group)
            client = self.held[node]
        if not client.wait_for_services(timeout):
            raise TimeoutError(f"{node}: no parameter services are matched")
        return client

    def op_list_parameters(self, node, timeout):
        return list(wait(self.client(node, timeout).list_parameters(), timeout, node).result.names)

    def op_describe_parameters(self, node, names, timeout):
        return plain(wait(self.client(node, timeout).describe_parameters(names), timeout, node))["descriptors"]

    def op_get_parameters(self, node, names, timeout):
        values = wait(self.client(node, timeout).get_parameters(names), timeout, node).values
        return [parameter_value_to_python(value) for value in values]

    def op_set_parameters(self, node, values, timeout, atomically=False):
        client = self.client(node, timeout)
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        if atomically:
            return [plain(wait(client.set_parameters_atomically(parameters), timeout, node).result)]
        return plain(wait(client.set_parameters(parameters), timeout, node).results)
