"""A controller that counts its messages: participant.cpp in Python.

    participant.py IN OUT FILE --ros-args -r __node:=NAME
"""
import sys

from rstate.stepped import Step, SteppedNode, main
from std_msgs.msg import Float64


class Participant(SteppedNode):

    def __init__(self):
        super().__init__("participant")
        self.file = open(sys.argv[3], "w", buffering=1)
        self.values, self.sum, self.count = [], 0.0, 0
        self.out = self.create_publisher(Float64, sys.argv[2], 1)
        self.create_subscription(Float64, sys.argv[1], lambda m: self.values.append(m.data), 1)

    def on_step(self, step):
        for value in self.values:
            self.count += 1
            self.sum = 0.5 * self.sum + value
            print(step.number, step.phase, self.count, f"{value:.6f}", file=self.file)
        self.values = []
        if step.phase == Step.Request.STEP_CONTROLLER:
            self.out.publish(Float64(data=self.sum + self.count))


main(Participant)
