"""The messages of a participant of a stepped loop that counts them. It needs no ROS, and the tests use the same vectors as for
C++ and Go (test/stepdata). Use an object in one thread at a time.
"""


class StepData:
    """Keeps the messages that arrive until a step makes them visible, and counts those that the node publishes.

    A list visible has objects with topic, participant and count, such as rstate_msgs/msg/StepCount.
    """

    def __init__(self):
        self._epoch, self._stepping = 0, False
        self._counted = frozenset()
        self._kept = []  # (topic, participant, number, message), in the order of their arrival
        self._arrived = {}  # (topic, participant): how many
        self._sent = {}  # topic: how many

    def settle(self):
        """Forbid publishing. Steps of the present epoch are refused from now on."""
        self._epoch, self._stepping = 0, False

    def zero(self, epoch, counted, published):
        """Begin an epoch: forget all messages and counts. The messages of the counted topics wait for a step that names them;
        published are the topics that the node publishes."""
        self.__init__()
        self._epoch, self._counted, self._sent = epoch, frozenset(counted), dict.fromkeys(published, 0)

    def arrive(self, topic, participant, message):
        """Keep a message. Those of a participant arrive on one topic in the order in which it published them."""
        number = self._arrived.get((topic, participant), 0) + 1
        self._arrived[topic, participant] = number
        self._kept.append((topic, participant, number, message))

    def refused(self, epoch):
        """Return why a step of this epoch must not run; it is empty if the step may run."""
        if epoch in (0, self._epoch):
            return ""
        return f"its counts are of epoch {self._epoch}, and the step is of epoch {epoch}; start the loop again"

    def counts(self, topic):
        """Tell whether the messages of a topic wait for a step that names them."""
        return topic in self._counted

    def lacks(self, one):
        """Tell whether a message that is visible has not arrived."""
        return self._arrived.get((one.topic, one.participant), 0) < one.count

    def missing(self, visible):
        """Name the first message of the list that has not arrived; it is empty if all have arrived."""
        for v in visible:
            if self.lacks(v):
                return f"message {self._arrived.get((v.topic, v.participant), 0) + 1} of {v.topic} from {v.participant} has not arrived"
        return ""

    def begin(self, epoch, visible):
        """Begin a step that is neither refused nor misses a message, and return what is handed over, as (topic, participant,
        number, message). Topics that are not counted come first, as they arrived. The others follow in the order of the list. In
        epoch 0 everything is handed over as it arrived."""
        self._stepping = True
        if not self._kept:
            return []
        handed = self._move(lambda k: epoch == 0 or k[0] not in self._counted)
        for v in visible if epoch else ():
            handed += self._move(lambda k: (k[0], k[1]) == (v.topic, v.participant) and k[2] <= v.count)
        return handed

    def _move(self, which):
        moved = [k for k in self._kept if which(k)]
        if moved:
            self._kept = [k for k in self._kept if not which(k)]
        return moved

    def end(self):
        """End the step."""
        self._stepping = False

    def publish(self, topic):
        """Count a message that the node is about to publish; return false if no step runs."""
        if self._stepping:
            self._sent[topic] = self._sent.get(topic, 0) + 1
        return self._stepping

    def sent(self):
        """Return how many messages the node has published in this epoch, as sorted pairs of topic and number."""
        return sorted(self._sent.items())
