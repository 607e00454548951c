"""Two participants whose data depend on each other, with rstate's SteppedNode or, with --plain, without it.

With --waiting they wait themselves for the message of the step that they need. Each writes a line for each step: its number,
the newest message, which has the number of its step, and whether that is the one that was published last before the phase.
--late SECONDS delays a subscription. --numbers TOPICS are pairs of topics of numbers: one that it publishes, and one that it
reads, of a participant in another language.
"""
import argparse
import functools
import sys
import threading
import time

import rclpy
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.lifecycle import LifecycleNode
from rstate.stepped import QOS, SteppedNode
from rstate_msgs.srv import Step
from std_msgs.msg import Float64, String

R = Step.Request


class Work:
    """What both kinds of participants do."""

    def begin(self, args):
        self.args, self.out, self.sum, self.got, self.numbers = args, open(args.out, "w"), 1, "", {}
        qos = QOS if args.waiting else 10  # who waits for a message cannot afford to lose it
        self.publisher = self.create_publisher(String, args.out_topic, qos)
        self.create_subscription(String, args.in_topic, self.take, qos)
        pairs = [pair.split(",") for pair in args.numbers]
        self.others = [self.create_publisher(Float64, out, qos) for out, _ in pairs]
        for _, topic in pairs:
            self.create_subscription(Float64, topic, functools.partial(self.has_number, topic), qos)

    def has_number(self, topic, message):
        self.numbers[topic] = message.data

    def take(self, message):
        if self.args.late and self.args.plain:  # as if it had arrived so late
            threading.Timer(self.args.late, self.has, [message.data]).start()
            return
        time.sleep(self.args.late)
        self.has(message.data)

    def has(self, data):
        self.got = data

    def phase(self, number, phase):
        """A simulator reads in its phase what the controller published in the step before, and the controller what the simulator
        published in this one."""
        if phase == R.RESET:
            self.sum, self.got = 1, ""
        mine = R.STEP_SIMULATOR if self.args.simulator else R.STEP_CONTROLLER
        if phase == mine:
            of, value = (self.got.split() + ["0", "0"])[:2]
            want = number - 1 if self.args.simulator else number
            read = [self.numbers[topic] for topic in sorted(self.numbers)]
            self.out.write(" ".join(map(str, [number, self.got, *read, "stale" if int(of) != want else "fresh"])) + "\n")
            self.out.flush()
            self.sum = (self.sum * 31 + int(value) + int(sum(read))) % 1000003
            self.publisher.publish(String(data=f"{number} {self.sum}"))
            for other in self.others:
                other.publish(Float64(data=float(self.sum)))


class Counting(Work, SteppedNode):

    def __init__(self, args):
        super().__init__("participant")
        self.begin(args)
        try:
            self.publisher.publish(String())
            sys.exit("it can publish outside of a step")
        except RuntimeError:
            pass

    def on_step(self, step):
        now = self.get_clock().now().nanoseconds if step.phase == R.STEP_BEGIN else None
        if now not in (None, round(step.now * 1e9)):
            raise RuntimeError(f"the clock shows {now} ns in a step at {step.now} s")
        self.phase(step.number, step.phase)


class Plain(Work, LifecycleNode):

    def __init__(self, args):
        super().__init__("participant")
        self.begin(args)
        self.create_service(Step, "~/step", self.on_step)

    def on_step(self, request, response):
        self.phase(request.step, request.phase)
        response.ok = True
        return response


class Unserved(MutuallyExclusiveCallbackGroup):

    def can_execute(self, entity):
        return False


class Waiting(Plain):
    """Waits for the message that it needs, as a program does that knows of which step each message is."""

    def create_subscription(self, kind, topic, callback, qos, **kwargs):
        if kind is String:
            kwargs["callback_group"] = Unserved()
        self.subscription = super().create_subscription(kind, topic, callback, qos, **kwargs)
        return self.subscription

    def phase(self, number, phase):
        if phase == (R.STEP_SIMULATOR if self.args.simulator else R.STEP_CONTROLLER):
            want = number - 1 if self.args.simulator else number
            while int((self.got.split() or ["0"])[0]) < want:
                with self.subscription.handle:
                    taken = self.subscription.handle.take_message(String, False)
                if taken:
                    self.take(taken[0])
                else:
                    time.sleep(0.0001)
        super().phase(number, phase)


parser = argparse.ArgumentParser()
parser.add_argument("--waiting", action="store_true")
parser.add_argument("--simulator", action="store_true")
parser.add_argument("--plain", action="store_true")
parser.add_argument("--late", type=float, default=0)
parser.add_argument("--numbers", nargs="*", default=[])
parser.add_argument("--out")
parser.add_argument("--in-topic")
parser.add_argument("--out-topic")
rclpy.init()
args = parser.parse_args(rclpy.utilities.remove_ros_args(sys.argv)[1:])
node = (Plain if args.plain else Waiting if args.waiting else Counting)(args)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
finally:
    node.destroy_node()
    rclpy.try_shutdown()
