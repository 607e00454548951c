"""The nodes that are managed in a test: each follows its script and records its calls."""
import gc
import threading
import time
import weakref

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_service import ParameterService
from rclpy.qos import DurabilityPolicy, QoSProfile
from rstate_msgs.msg import NodeReport
from rstate_msgs.srv import Step
from std_msgs.msg import Int32
from std_srvs.srv import SetBool, Trigger

# What a callback returns; one that throws returns nothing.
RETURNS = {
    "success": TransitionCallbackReturn.SUCCESS,
    "failure": TransitionCallbackReturn.FAILURE,
    "error": TransitionCallbackReturn.ERROR,
    "freeze": TransitionCallbackReturn.SUCCESS,
}


# How a node's answer to a change_state, or to a request to arm or disarm, relates to what it does. By default it is the
# truth.
ANSWERS = {
    "hollow",  # reports success and keeps its state
    "denied",  # moves and reports failure
    "lost",  # moves, and its answer is lost
    "deaf",  # the request is lost: the node neither moves nor answers
}


# The words of the phases of a stepped loop, by their numbers.
PHASES = ["step_begin", "step_simulator", "step_controller", "step_end", "reset"]


class Script:
    """The behaviours of a node: a list for each word, the last of which repeats for ever."""

    def __init__(self, behaviours):
        self.lock = threading.Lock()
        self.behaviours = {}
        self.calls = []
        self.steps = []
        self.armed = False
        self.thawed = threading.Event()
        self.report = None  # publishes a sub-state of the node
        for word, listed in (behaviours or {}).items():
            self.set(word, listed)

    def set(self, word, behaviours):
        for one in behaviours:
            if one.get("result", "success") not in (*RETURNS, "throw"):
                raise ValueError(f"no such result: {one['result']}")
            if one.get("answer") and one["answer"] not in ANSWERS:
                raise ValueError(f"no such answer: {one['answer']}")
        with self.lock:
            self.behaviours[word] = list(behaviours)

    def answer(self, word):
        """How the word's next behaviour is answered; play takes it."""
        with self.lock:
            listed = self.behaviours.get(word) or [{}]
            return listed[0].get("answer", "")

    def want(self, word):
        """What a participant wants in the word's next behaviour; play takes it."""
        with self.lock:
            listed = self.behaviours.get(word) or [{}]
            return listed[0].get("want", 0)

    def play(self, word):
        """Takes the word's next behaviour, records the call, takes its time, and returns the result's name."""
        with self.lock:
            listed = self.behaviours.get(word) or [{}]
            one = listed.pop(0) if len(listed) > 1 else listed[0]
            call = {"what": word, "begin": time.time_ns(), "end": 0, "result": ""}
            self.calls.append(call)
            thawed = self.thawed  # a thaw may come as soon as the call is seen
        result = one.get("result", "success")
        if one.get("delay"):
            thawed.wait(one["delay"])  # Destroy ends the wait
        if result == "freeze":
            thawed.wait()
        if one.get("report"):
            self.report(one["report"])
        with self.lock:
            call["end"], call["result"] = time.time_ns(), result
        return result

    def thaw(self):
        """Ends the waits of the calls that are recorded, and of no later ones."""
        with self.lock:
            self.thawed.set()
            self.thawed = threading.Event()

    def record(self):
        with self.lock:
            return [dict(call) for call in self.calls]


# Few tests ask these nodes for parameters, and none for descriptions of types. Without the services a node has half as many
# endpoints, which every program of a package of tests has to discover.
LEAN = {
    "start_parameter_services": False,
    "parameter_overrides": [Parameter("start_type_description_service", value=False)],
}


class Managed(LifecycleNode):
    """A lifecycle node on a script."""

    def __init__(self, name, namespace, script):
        self.script = script
        super().__init__(name, namespace=namespace, **LEAN)
        service = self._service_change_state
        self.obey, self.send, self.silent = service.callback, service.send_response, False
        self.board = None  # of its bonds; None: it does not bond
        service.callback, service.send_response = self.on_request, self.on_response

    def on_request(self, request, response):
        """Handles change_state; a script may ignore the request or answer falsely."""
        word = request.transition.label
        answer = self.script.answer(word)
        if answer in ("hollow", "deaf"):
            self.script.play(word)
            response.success = answer == "hollow"
        else:
            response = self.obey(request, response)
            response.success = response.success and answer != "denied"
        self.silent = answer in ("deaf", "lost")
        return response

    def on_response(self, response, header):
        if not self.silent:
            self.send(response, header)

    def play(self, word):
        result = self.script.play(word)
        if result == "throw":
            raise RuntimeError(f"{word} throws, as the test's script says")
        return RETURNS[result]

    def on_configure(self, state):
        return self.play("configure")

    def on_cleanup(self, state):
        return self.play("cleanup")

    def on_activate(self, state):
        result = self.play("activate")
        if self.board and result == TransitionCallbackReturn.SUCCESS:
            self.board.start(self.get_name())
        return result

    def on_deactivate(self, state):
        if self.board:
            self.board.end(self.get_name())
        return self.play("deactivate")

    def on_shutdown(self, state):
        return self.play("shutdown")

    def on_error(self, state):
        return self.play("error")

    def state(self):
        return self._state_machine.current_state[1]


class Plain(Node):
    """A node without a lifecycle."""

    def __init__(self, name, namespace, script):
        self.script = script
        super().__init__(name, namespace=namespace, **LEAN)

    def state(self):
        return ""


class Running:
    """A node with an executor and a thread of its own, so that slow callbacks do not delay other nodes."""

    def __init__(self, name, lifecycle, arm, beside, check, topic, rate, reports, steps, threads, script, begins,
                 parameters, bonds):
        namespace, _, base = name.rpartition("/")
        self.script = Script(script)
        self.node = (Managed if lifecycle else Plain)(base, namespace or "/", self.script)
        if bonds:
            from bonds import board  # only tests of bonds have the package
            self.node.board = board(bonds)

        def group():
            return MutuallyExclusiveCallbackGroup() if threads > 1 else None

        for step in begins:  # no client can ask the node before it spins
            getattr(self.node, "trigger_" + step)()
        self.parameters = ParameterService(self.node) if parameters else None
        if arm:
            # Beside each other, a disarm does not end an arm that is still running.
            service = self.node.create_service(
                SetBool, arm, self.on_arm, callback_group=ReentrantCallbackGroup() if beside else group())
            send = service.send_response
            service.send_response = lambda response, header: response and send(response, header)
        if check:
            self.node.create_service(Trigger, check, self.on_check, callback_group=group())
        self.timer = None
        if topic:
            # rclpy's own publisher, not the lifecycle node's, which is silent unless the node is active
            self.publisher = Node.create_publisher(self.node, Int32, topic, 10)
            self.group = group()
            self.pace(rate)
        if steps:
            self.node.create_service(Step, steps, self.on_step, callback_group=group())
        if reports:
            latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            self.reporter = Node.create_publisher(self.node, NodeReport, name + "/report", latched)
            self.script.report = self.report
        self.executor = MultiThreadedExecutor(threads) if threads > 1 else SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.spin, name=name, daemon=True)
        self.thread.start()

    def spin(self):
        """Not executor.spin, which may wait for ever after a shutdown of the executor by another thread."""
        try:
            while not self.ended.is_set():
                self.executor.spin_once()
        except ExternalShutdownException:
            pass

    def on_arm(self, request, response):
        """Handles a request to arm or disarm. It returns None if no answer is to be sent."""
        word = "arm" if request.data else "disarm"
        answer = self.script.answer(word)
        result = self.script.play(word)
        if answer == "deaf":
            return None
        response.success = result in ("success", "freeze")
        if response.success:
            self.script.armed = request.data
        else:
            response.message = "refused by the test's script"
        return None if answer == "lost" else response

    def on_step(self, request, response):
        word = PHASES[request.phase]
        response.want = self.script.want(word)
        now = request.now.sec * 10**9 + request.now.nanosec
        self.script.steps.append([request.step, request.phase, now, request.dt.sec * 10**9 + request.dt.nanosec])
        response.ok = self.script.play(word) in ("success", "freeze")
        response.message = "" if response.ok and not response.want else "as the test's script says"
        return response

    def on_check(self, request, response):
        response.success = self.script.play("check") in ("success", "freeze")
        if not response.success:
            response.message = "refused by the test's script"
        return response

    def report(self, state):
        report = NodeReport(node=self.node.get_fully_qualified_name(), state=state)
        report.stamp = self.node.get_clock().now().to_msg()
        self.reporter.publish(report)

    def pace(self, rate):
        if self.timer:
            self.node.destroy_timer(self.timer)
            self.timer = None
        if rate:
            self.timer = self.node.create_timer(1.0 / rate, self.on_time, callback_group=self.group)

    def on_time(self):
        if self.node.state() in ("", "active"):
            self.publisher.publish(Int32())

    def destroy(self):
        if getattr(self.node, "board", None):
            self.node.board.end(self.node.get_name())
        self.script.thawed.set()
        self.ended.set()
        self.executor.create_task(lambda: None)
        self.thread.join(10)
        self.executor.shutdown()
        self.node.destroy_node()
        self.executor = self.thread = self.node = None


collecting = threading.Lock()


def collect(there):
    """Waits until a node is collected: rclpy's lifecycle node is in a reference cycle, and is in the graph until then.

    A collection does nothing while another thread is at one, and clears the weak references before what they refer to.
    So there is one at a time, and none that Python begins by itself: a node whose namesake is still being destroyed is
    taken for it, and loses its name with it.
    """
    for _ in range(1000):
        with collecting:
            gc.collect()
            if there() is None:
                return
        time.sleep(0.01)
    raise TimeoutError("a node that was destroyed is still referred to")


class Nodes:
    """The requests about nodes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = {}
        gc.disable()  # see collect

    def op_create_node(self, handle, name, lifecycle=True, arm="", beside=False, check="", topic="", rate=0.0, reports=False, steps="",
                       threads=1, script=None, begins=(), parameters=False, bonds=""):
        node = Running(name, lifecycle, arm, beside, check, topic, rate, reports, steps, threads, script, begins,
                       parameters, bonds)
        with self.lock:
            self.running[handle] = node

    def op_destroy_node(self, handle):
        with self.lock:
            node = self.running.pop(handle, None)
        if node:  # the test may have destroyed it already
            there = weakref.ref(node.node)
            node.destroy()
            del node
            collect(there)

    def op_script(self, handle, word, behaviours):
        self.running[handle].script.set(word, behaviours)

    def op_pace(self, handle, rate):
        self.running[handle].pace(rate)

    def op_report(self, handle, state):
        self.running[handle].report(state)

    def op_thaw(self, handle):
        self.running[handle].script.thaw()

    def op_node(self, handle):
        """The real state and record of the node, independent of what other processes have received."""
        running = self.running[handle]
        return {"state": running.node.state(), "armed": running.script.armed, "calls": running.script.record(), "steps": list(running.script.steps),
                "bond": running.node.board.state(running.node.get_name()) if getattr(running.node, "board", None) else ""}

    def close(self):
        for handle in list(self.running):
            self.op_destroy_node(handle)
