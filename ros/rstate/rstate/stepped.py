"""A participant of a stepped loop whose data are in lockstep, too.

    class Pilot(SteppedNode):

        def __init__(self):
            super().__init__("pilot")
            self.force = self.create_publisher(Float64, "/force", 1)
            self.create_subscription(Float64, "/angle", self.on_angle, 1)

        def on_step(self, step):
            if step.phase == Step.Request.STEP_CONTROLLER:
                self.force.publish(Float64(data=-8.0 * self.angle))

    main(Pilot)

A call of the loop names the messages that are visible in it. They are handed to the callbacks of the subscriptions, on the
thread of the step, before on_step is called; what was published later waits for a later call. So each run with the same
inputs gives the same messages in the same steps. Subscriptions and publishers are reliable and keep everything, whatever depth
they are made with. Nothing can be published outside of a step. The node's clock shows the simulated time of the call.
"""
import random
import threading
import time

import rclpy
import rclpy.subscription
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import (DurabilityPolicy, HistoryPolicy, QoSCompatibility, QoSProfile, ReliabilityPolicy,
                       qos_check_compatible)
from rclpy.time import Time
from rstate_msgs.msg import StepCount, StepTopic
from rstate_msgs.srv import Step
from rstate_msgs.srv import StepData as StepDataService

from .step_data import StepData

QOS = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0, reliability=ReliabilityPolicy.RELIABLE,
                 durability=DurabilityPolicy.VOLATILE)
# Whether rclpy says which publisher a message is of.
TELLS_WRITERS = "publisher_gid" in getattr(getattr(rclpy.subscription, "MessageInfo", None), "__annotations__", {})
LOOK = 0.0001  # s between two looks for a message that has not arrived
WAITS = 0.9  # of the deadline, for messages
_UNTOLD = "; this middleware does not tell which of several nodes published {}: give each a topic"
ACKS = Duration(seconds=0.05)  # how long one question waits for acknowledgements; it is asked again


def _seconds(t):
    return t.sec + t.nanosec / 1e9


class _Group(MutuallyExclusiveCallbackGroup):
    """Subscriptions that no executor serves: the step takes their messages itself."""

    def can_execute(self, entity):
        return False


class StepCall:
    """A phase of a step, and what the participant wants to happen at the end of the step."""

    def __init__(self, request):
        self._request = request
        self.number, self.phase = request.step, request.phase
        self.want, self.why = Step.Response.NONE, ""

    @property
    def now(self):
        """The simulated time in seconds at which the step begins."""
        return _seconds(self._request.now)

    @property
    def dt(self):
        """How many seconds of simulated time the step covers."""
        return _seconds(self._request.dt)

    def _wants(self, want, why):
        self.want, self.why = want, why

    def succeed(self, why=""):
        self._wants(Step.Response.SUCCEED, why)

    def fail(self, why=""):
        self._wants(Step.Response.FAIL, why)

    def stop(self, why=""):
        self._wants(Step.Response.STOP, why)

    def want_reset(self, why=""):
        self._wants(Step.Response.RESET, why)

    def pause(self, why=""):
        self._wants(Step.Response.PAUSE, why)

    def abort(self, why=""):
        self._wants(Step.Response.ABORT, why)


class _Inbox:
    """The subscription of one topic, and whose messages come there."""

    def __init__(self, subscription, callback):
        self.subscription, self.callback = subscription, callback
        self.writers = {}  # the bytes of a GID: publisher, as the graph had it when counts were zero
        self.only, self.matched = "", 0  # the publisher, if there is one; how many there were when counts were zero
        self.other = None  # the GID of the only publisher in messages, if the graph has another one
        self.graphed = False  # messages carry GIDs of the graph; that is so of a middleware for good
        self.untold = False  # a message came of which the middleware does not tell whose it is

    def zero(self, writers, publishers):
        """Begin anew with the publishers that count; return why that cannot be."""
        while self.take():
            pass
        self.matched = self.subscription.get_publisher_count()
        if why := _accompanied(self.subscription.topic_name, publishers, self.matched):
            return why
        self.writers, self.only = writers, publishers[0] if len(publishers) == 1 else ""
        self.other, self.untold = None, False
        return ""

    def take(self):
        """Return the next message that has arrived with its publisher, or None. The publisher is empty if it does not count."""
        s = self.subscription
        with s.handle:
            taken = s.handle.take_message(s.msg_type, s.raw)
        if not taken:
            return None
        message, info = taken
        return message, self.writer(_gid(info["publisher_gid"])) if "publisher_gid" in info else self.only

    def writer(self, gid):
        """Return whose message it is.

        A middleware may put another GID into messages than into the graph, as Cyclone DDS does. There, one GID is bound to
        a topic's only publisher while no other has joined.
        """
        if gid in self.writers:
            self.graphed, self.other, self.untold = True, None, False
            return self.writers[gid]
        if not self.graphed and self.other is None and self.subscription.get_publisher_count() == self.matched:
            if self.only:
                self.other = gid
            else:
                self.untold = True
        return self.only if gid == self.other else ""

    def joined(self):
        """Tell whether another publisher has joined whose messages cannot be told from those that count."""
        return not TELLS_WRITERS and self.subscription.get_publisher_count() > self.matched


def _accompanied(topic, publishers, matched):
    """Why a topic of one publisher has others."""
    if len(publishers) == 1 and matched != 1:
        return f"{topic} is matched with {matched} publishers, and only that of {publishers[0]} counts"
    return ""


def _gid(gid):
    data = gid.get("data", b"") if isinstance(gid, dict) else gid or b""
    return bytes(data)


class SteppedNode(LifecycleNode):
    """A lifecycle node that takes part in a stepped loop. Override on_step."""

    def __init__(self, node_name, **kwargs):
        self.__ready = False
        super().__init__(node_name, **kwargs)
        self.__name = self.get_fully_qualified_name()
        self.__group = _Group()
        self.__inboxes, self.__outboxes = {}, {}  # topic: _Inbox; topic: publisher
        self.__data, self.__said = StepData(), {}  # what the coordinator knows of the counts
        self.__life = random.getrandbits(63)
        self.__now = None
        self.__lock = threading.RLock()
        self.get_clock()._set_ros_time_is_active(True)
        # In this order: a coordinator that has found the second service has found the first one.
        self.create_service(StepDataService, "~/step_data", self.__on_data)
        self.create_service(Step, "~/step", self.__on_step)
        self.__ready = True

    # For the participant.

    def on_step(self, step):
        """Do the part of a phase: step is a StepCall. An exception is a failure."""

    def create_publisher(self, msg_type, topic, qos_profile, **kwargs):
        """Like that of every node. A depth, or a profile that is reliable and keeps everything, is a counted publisher."""
        if not self.__ready:
            return super().create_publisher(msg_type, topic, qos_profile, **kwargs)
        return self.__counts(super().create_publisher(msg_type, topic, self.__qos(topic, qos_profile), **kwargs))

    def create_lifecycle_publisher(self, msg_type, topic, qos_profile, **kwargs):
        """Like create_publisher."""
        return self.__counts(super().create_lifecycle_publisher(msg_type, topic, self.__qos(topic, qos_profile), **kwargs))

    def __counts(self, publisher):
        name = publisher.topic_name
        if name in self.__outboxes:
            self.destroy_publisher(publisher)
            raise ValueError(f"{self.__name} publishes {name} twice; use one publisher")
        self.__outboxes[name] = publisher
        self.__life = random.getrandbits(63)
        plain = publisher.publish

        def publish(message):
            if not self.__data.publish(name):
                raise RuntimeError(f"{self.__name} publishes {name} outside of a step; publish in on_step")
            plain(message)

        publisher.publish = publish
        return publisher

    def destroy_publisher(self, publisher):
        for name, known in list(self.__outboxes.items()) if self.__ready else ():
            if known is publisher:
                del self.__outboxes[name]
                self.__life = random.getrandbits(63)
        return super().destroy_publisher(publisher)

    def create_subscription(self, msg_type, topic, callback, qos_profile, **kwargs):
        """Like that of every node. The callback is called in the step in which the message is visible."""
        if not self.__ready:
            return super().create_subscription(msg_type, topic, callback, qos_profile, **kwargs)
        kwargs["callback_group"] = self.__group
        subscription = super().create_subscription(msg_type, topic, callback, self.__qos(topic, qos_profile), **kwargs)
        name = subscription.topic_name
        if name in self.__inboxes:
            self.destroy_subscription(subscription)
            raise ValueError(f"{self.__name} subscribes to {name} twice; use one subscription")
        self.__inboxes[name] = _Inbox(subscription, callback)
        self.__life = random.getrandbits(63)
        return subscription

    def destroy_subscription(self, subscription):
        for name, box in list(self.__inboxes.items()) if self.__ready else ():
            if box.subscription is subscription:
                del self.__inboxes[name]
                self.__life = random.getrandbits(63)
        return super().destroy_subscription(subscription)

    def __qos(self, topic, profile):
        if isinstance(profile, int):
            return QOS
        if (profile.reliability, profile.durability, profile.history) != (QOS.reliability, QOS.durability, QOS.history):
            raise ValueError(f"{topic}: a topic in lockstep is reliable, volatile and keeps everything; give a depth only")
        return profile

    # For the coordinator.

    def __on_data(self, request, response):
        with self.__lock:
            response.incarnation = self.__life
            if request.stage == StepDataService.Request.DECLARE:
                response.topics = self.__declares()
            elif request.stage == StepDataService.Request.SETTLE:
                self.__data.settle()
                response.message = self.__unsettled(request.topics)
            elif request.stage == StepDataService.Request.MATCH:
                response.message = self.__unmatched(request.topics)
            elif request.stage == StepDataService.Request.ZERO:
                response.message = self.__zero(request.epoch, request.topics)
            else:
                response.message = f"unknown stage {request.stage}"
            response.ok = not response.message
            return response

    def __declares(self):
        topics = {}
        for boxes, end in (self.__outboxes, "publishers"), (self.__inboxes, "subscribers"):
            for name, box in boxes.items():
                one = topics.setdefault(name, StepTopic(topic=name))
                kind = (box if end == "publishers" else box.subscription).msg_type
                one.type = f"{kind.__module__.split('.')[0]}/{kind.__module__.split('.')[1]}/{kind.__name__}"
                setattr(one, end, [self.__name])
        return [topics[name] for name in sorted(topics)]

    def __unsettled(self, topics):
        for topic in topics:
            if self.__name in topic.publishers and topic.topic not in self.__outboxes:
                return f"it does not publish {topic.topic} any more"
            if self.__name in topic.publishers and not self.__outboxes[topic.topic].wait_for_all_acked(ACKS):
                return (f"not every subscriber of {topic.topic} has acknowledged what it published; "
                        "one that has ended without saying so is forgotten after its lease, 20 s by default")
        return ""

    def __unmatched(self, topics):
        for topic in topics:
            mine = (topic.publishers, self.__outboxes), (topic.subscribers, self.__inboxes)
            if any(self.__name in nodes and topic.topic not in boxes for nodes, boxes in mine):
                return f"it does not have {topic.topic} any more"
            if self.__name in topic.subscribers and (why := self.__unheard(topic)):
                return why
            if self.__name in topic.publishers and (why := self.__unread(topic)):
                return why
        return ""

    def __unheard(self, topic):
        """Why this node does not receive all of a topic's messages."""
        infos = self.get_publishers_info_by_topic(topic.topic)
        nodes = [_node(i) for i in infos]
        for stranger in nodes:
            if stranger not in topic.publishers:
                return f"{stranger} publishes {topic.topic} too, and does not count; stop it, or rename its topic"
        for one in topic.publishers:
            if one not in nodes:
                return f"it has not found {one} on {topic.topic} yet"
        matched = self.__inboxes[topic.topic].subscription.get_publisher_count()
        if matched != len(infos):
            return f"{topic.topic} is not matched with {', '.join(topic.publishers)} yet"
        if why := _accompanied(topic.topic, topic.publishers, matched):
            return why
        if len(topic.publishers) > 1 and not TELLS_WRITERS:
            return f"rclpy of this ROS distribution does not tell which of several nodes published; give each of {', '.join(topic.publishers)} a topic"
        return ""

    def __unread(self, topic):
        """Why not everybody receives what this node publishes."""
        publisher = self.__outboxes[topic.topic]
        infos = self.get_subscriptions_info_by_topic(topic.topic)
        nodes = [_node(i) for i in infos]
        for one in topic.subscribers:
            if one not in nodes:
                return f"it has not found {one} on {topic.topic} yet"
        fits = sum(qos_check_compatible(publisher.qos_profile, i.qos_profile)[0] != QoSCompatibility.ERROR for i in infos)
        if publisher.get_subscription_count() < fits:
            return f"{topic.topic} is not matched with {', '.join(topic.subscribers)} yet"
        return ""

    def __zero(self, epoch, topics):
        self.__data.zero(epoch, [t.topic for t in topics], self.__outboxes)
        self.__said = dict(self.__data.sent())
        for topic in topics:
            if box := self.__inboxes.get(topic.topic):
                writers = {bytes(i.endpoint_gid): _node(i) for i in self.get_publishers_info_by_topic(topic.topic)}
                if why := box.zero(writers, topic.publishers):
                    return why
        return ""

    def __on_step(self, request, response):
        with self.__lock:
            response.counts = True
            try:
                response.message = self.__unready(request)
                if not response.message:
                    self.__do(request, response)
            except Exception as e:  # the loop stops, and says why
                self.get_logger().error(f"step {request.step} failed: {e!r}")
                response.ok, response.message = False, f"{type(e).__name__}: {e}"
            finally:
                self.__data.end()
            return response

    def __do(self, request, response):
        step = StepCall(request)
        if self.__now != request.now:
            self.__now = request.now
            self.get_clock().set_ros_time_override(Time(seconds=request.now.sec, nanoseconds=request.now.nanosec))
        for topic, _, _, message in self.__data.begin(request.epoch, request.visible):
            self.__inboxes[topic].callback(message)
        self.on_step(step)
        response.ok, response.want, response.message = True, step.want, step.why
        for topic, count in self.__data.sent():
            if count != self.__said.get(topic, 0):
                self.__said[topic] = count
                response.sent.append(StepCount(topic=topic, count=count))

    def __unready(self, request):
        """Wait until everything visible has arrived; return why the step cannot be done."""
        if self._state_machine.current_state[1] != "active":
            return "it is not active"
        if why := self.__data.refused(request.epoch):
            return why
        for topic, box in self.__inboxes.items():
            if not (request.epoch and self.__data.counts(topic)):
                while self.__keep(topic, box):
                    pass
        return self.__gather(request) if request.epoch else ""

    def __gather(self, request):
        end = time.monotonic() + WAITS * _seconds(request.deadline)
        for v in request.visible:
            box = self.__inboxes.get(v.topic)
            if box is None:
                return f"it does not subscribe to {v.topic} any more; start the loop again"
            if box.joined():
                return f"another node publishes {v.topic} and does not count; stop it, and start the loop again"
            while self.__data.lacks(v):
                if self.__keep(v.topic, box):
                    continue
                if time.monotonic() > end:
                    return self.__data.missing([v]) + (_UNTOLD.format(v.topic) if box.untold else "")
                time.sleep(LOOK)
        return ""

    def __keep(self, topic, box):
        """Keep the next message of a topic; tell whether there was one."""
        taken = box.take()
        if taken is None:
            return False
        message, writer = taken
        if writer or not self.__data.counts(topic):  # else a publisher has joined that does not count
            self.__data.arrive(topic, writer, message)
        return True


def _node(info):
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"


def main(kind):
    """Run a node of a class until it is stopped."""
    rclpy.init()
    node = kind()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
