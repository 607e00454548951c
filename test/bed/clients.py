"""The test's own side of topics, services and actions: one node that calls, subscribes and publishes for it."""
import importlib
import os
import threading
import time
import uuid

import rclpy
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from convert import fill, plain


# How many untaken answers an action client keeps. ROS's default is 10: a client that gets no processor time while more
# arrive loses the oldest without an error, with any server.
ANSWERS = int(os.environ.get("RSTATE_CLIENT_DEPTH", "1000"))


# How often a thread looks at what it cannot wait for. All threads of the process share one processor.
POLL = 0.02


def load(kind):
    """The class of pkg/msg/Name, pkg/srv/Name or pkg/action/Name."""
    package, group, name = kind.split("/")
    return getattr(importlib.import_module(f"{package}.{group}"), name)


def qos_of(depth, latched, best_effort):
    return QoSProfile(
        depth=depth,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
        reliability=ReliabilityPolicy.BEST_EFFORT if best_effort else ReliabilityPolicy.RELIABLE)


def wait(future, seconds, what):
    """The result of a future that the node's own thread completes."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    if not done.wait(seconds):
        raise TimeoutError(f"{what}: no answer within {seconds} s")
    return future.result()


def wait_all(futures, seconds):
    """The results of futures that the node's own thread completes, None for each that is late."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not all(future.done() for future in futures):
        time.sleep(POLL)
    return [future.result() if future.done() else None for future in futures]


def until(deadline, condition, what):
    """Polls: rclpy has nothing that a thread could wait on until entities are matched."""
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(POLL)


class Clients:
    def __init__(self):
        self.lock = threading.Lock()
        self.node = rclpy.create_node(f"bed_{time.time_ns()}")
        self.group = ReentrantCallbackGroup()
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.held = {}  # service and action clients, by kind and name
        self.topics = {}  # publishers and subscriptions, by handle
        self.messages = {}
        self.goals = {}
        self.news = threading.Condition()  # a message came, or something became of a goal
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.spin, name="clients", daemon=True)
        self.thread.start()

    def spin(self):
        """Not executor.spin, which may wait for ever after a shutdown of the executor by another thread."""
        try:
            while not self.ended.is_set():
                self.executor.spin_once()
        except ExternalShutdownException:
            pass

    def spinning(self, do, what):
        """Runs a function on the spinning thread, which would otherwise see a half finished change."""
        return wait(self.executor.create_task(do), 10, what)

    def client(self, kind, name):
        with self.lock:
            if (kind, name) not in self.held:
                if "/action/" in kind:
                    # rclpy's spin may wait on the action client before its constructor has returned.
                    deep = {f"{which}_service_qos_profile": QoSProfile(depth=ANSWERS) for which in ("goal", "result", "cancel")}
                    made = self.spinning(
                        lambda: ActionClient(self.node, load(kind), name, callback_group=self.group, **deep), name)
                else:
                    made = self.node.create_client(
                        load(kind), name, qos_profile=QoSProfile(depth=ANSWERS), callback_group=self.group)
                self.held[kind, name] = made
            return self.held[kind, name]

    def op_release(self, name):
        """Destroys the clients of a name. Each costs every process that is started later the time to discover it."""
        with self.lock:
            gone = [self.held.pop(key) for key in list(self.held) if key[1] == name]
        for client in gone:
            self.spinning(lambda: self.destroy(client), name)

    def destroy(self, client):
        client.destroy() if isinstance(client, ActionClient) else self.node.destroy_client(client)

    def tell(self):
        with self.news:
            self.news.notify_all()

    # Services

    def op_call(self, kind, name, request, timeout):
        deadline = time.monotonic() + timeout
        client = self.client(kind, name)
        until(deadline, client.service_is_ready, f"{name}: no such service is matched")
        future = client.call_async(fill(load(kind).Request(), request))
        try:
            return plain(wait(future, max(deadline - time.monotonic(), 0), name))
        finally:
            client.remove_pending_request(future)

    def op_call_burst(self, kind, name, requests, timeout):
        """Sends requests at once. Returns the answer to each; None: there was none."""
        deadline = time.monotonic() + timeout
        client = self.client(kind, name)
        until(deadline, client.service_is_ready, f"{name}: no such service is matched")
        send = lambda: [client.call_async(fill(load(kind).Request(), request)) for request in requests]
        return [answer and plain(answer) for answer in wait_all(self.spinning(send, name), max(deadline - time.monotonic(), 0))]

    def op_ready(self, name, timeout):
        """A node is ready when its services are matched with ours and it has answered: matching alone may be one-sided,
        and an answer sent into that gap is lost, so the question is asked again."""
        deadline = time.monotonic() + timeout
        change = self.client("lifecycle_msgs/srv/ChangeState", name + "/change_state")
        until(deadline, change.service_is_ready, f"{name}/change_state: not matched")
        while True:
            try:
                answer = self.op_call("lifecycle_msgs/srv/GetState", name + "/get_state", {}, 0.5)
                return answer["current_state"]["label"]
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise

    # Topics

    def op_subscribe(self, handle, kind, name, depth, latched, best_effort):
        messages = self.messages[handle] = []

        def heard(message):
            messages.append({"at": time.time_ns(), "message": plain(message)})
            self.tell()

        self.topics[handle] = self.node.create_subscription(
            load(kind), name, heard, qos_of(depth, latched, best_effort), callback_group=self.group)

    def op_messages(self, handle, skip, patience=0):
        """The messages behind the first ones. With patience in seconds it waits until there is one."""
        messages = self.messages[handle]
        with self.news:
            self.news.wait_for(lambda: len(messages) > skip, patience)
        return messages[skip:]

    def op_advertise(self, handle, kind, name, depth, latched, best_effort):
        self.topics[handle] = self.node.create_publisher(load(kind), name, qos_of(depth, latched, best_effort))

    def op_publish(self, handle, message):
        publisher = self.topics[handle]
        publisher.publish(fill(publisher.msg_type(), message))

    def op_matched(self, handle):
        topic = self.topics[handle]
        return topic.get_publisher_count() if handle in self.messages else topic.get_subscription_count()

    def op_publishers(self, handle):
        """The full names of the nodes whose publishers are discovered. A node that is not known yet has a placeholder."""
        found = self.node.get_publishers_info_by_topic(self.topics[handle].topic_name)
        return [i.node_namespace.rstrip("/") + "/" + i.node_name for i in found]

    def op_subscribers(self, topic):
        return self.node.count_subscribers(topic)

    def op_graph(self):
        return sorted(space.rstrip("/") + "/" + name for name, space in self.node.get_node_names_and_namespaces())

    def op_forget(self, handle):
        topic = self.topics.pop(handle, None)
        if topic is None:  # the test has closed it
            return
        destroy = self.node.destroy_publisher if self.messages.pop(handle, None) is None else self.node.destroy_subscription
        # A spin that is collecting its entities fails if a topic is destroyed meanwhile.
        self.spinning(lambda: destroy(topic), topic.topic_name)

    # Actions. On Jazzy rclpy sends a request before it registers it, and drops an answer that arrives in between. So
    # requests are sent on the thread that takes the answers, which also runs the callbacks.

    def op_post_goals(self, handles, kind, name, goals, timeout):
        """Sends goals at once, in order. It does not wait for the answers, which the records have later."""
        client, make = self.client(kind, name), load(kind).Goal
        until(time.monotonic() + timeout, client.server_is_ready, f"{name}: no such action is matched")
        self.spinning(lambda: [self.post_goal(client, handle, fill(make(), goal)) for handle, goal in zip(handles, goals)], name)

    def post_goal(self, client, handle, goal):
        record = self.goals[handle] = {
            "id": "", "answered": False, "accepted": False, "feedback": [], "status": 0, "ended": 0, "result": None}

        def heard(message):
            record["feedback"].append({"at": time.time_ns(), "message": plain(message.feedback)})

        def ended(future):
            answer = future.result()
            record["ended"] = time.monotonic_ns()
            record["result"] = plain(answer.result)
            record["status"] = answer.status
            self.tell()

        def answered(future):
            record["handle"] = future.result()
            record["id"] = str(uuid.UUID(bytes=bytes(record["handle"].goal_id.uuid)))
            record["accepted"] = record["handle"].accepted
            if record["accepted"]:
                record["handle"].get_result_async().add_done_callback(ended)
            record["answered"] = True
            self.tell()

        client.send_goal_async(goal, feedback_callback=heard).add_done_callback(answered)

    def op_send_goal(self, handle, kind, name, goal, timeout):
        deadline = time.monotonic() + timeout
        self.op_post_goals([handle], kind, name, [goal], timeout)
        until(deadline, lambda: self.goals[handle]["answered"], f"{name}: its answer is not handled")
        return self.goals[handle]["accepted"]

    def op_goal(self, handle, patience=0, until="status"):
        """What has become of a goal. With patience in seconds it waits until that has come about."""
        record = self.goals[handle]
        with self.news:
            self.news.wait_for(lambda: record[until], patience)
        return {key: value for key, value in record.items() if key != "handle"}

    def op_cancel_goal(self, handle, timeout):
        goal = self.goals[handle]["handle"]
        answer = wait(self.spinning(goal.cancel_goal_async, "cancel"), timeout, "cancel")
        return len(answer.goals_canceling) > 0

    def op_cancel_burst(self, handle, count, timeout):
        """Asks count times at once to cancel a goal. Returns the return code of each answer, None without an answer."""
        goal = self.goals[handle]["handle"]
        futures = self.spinning(lambda: [goal.cancel_goal_async() for _ in range(count)], "cancel")
        return [answer and answer.return_code for answer in wait_all(futures, timeout)]

    def op_goal_burst(self, kind, name, goals, timeout):
        """Sends goals at once and asks for the result of each that is accepted. Returns for each goal whether it was
        accepted (None: no answer) and the status of its result (None: no answer, or not accepted)."""
        deadline = time.monotonic() + timeout
        client = self.client(kind, name)
        until(deadline, client.server_is_ready, f"{name}: no such action is matched")
        results, heard = {}, []

        def answered(future):
            if future.result().accepted:
                results[future] = future.result().get_result_async()
                results[future].add_done_callback(lambda _: self.tell())
            heard.append(future)
            self.tell()

        def send():
            futures = [client.send_goal_async(fill(load(kind).Goal(), goal)) for goal in goals]
            for future in futures:
                future.add_done_callback(answered)
            return futures

        def within(condition):
            with self.news:
                self.news.wait_for(condition, max(deadline - time.monotonic(), 0))

        futures = self.spinning(send, name)
        within(lambda: len(heard) == len(futures))
        within(lambda: all(end.done() for end in list(results.values())))
        return [{"accepted": future.result().accepted if future in heard else None,
                 "status": results[future].result().status if future in results and results[future].done() else None}
                for future in futures]

    def op_forget_goal(self, handle):
        del self.goals[handle]

    def close(self):
        self.ended.set()
        self.executor.create_task(lambda: None)
        self.thread.join(10)
        self.executor.shutdown()
        for client in self.held.values():
            self.destroy(client)
        self.node.destroy_node()
