"""A stand-in for the launch of ROS 2 on machines without it: what describe.py uses, as the real one does it."""


class Substitution:
    def perform(self, context):
        raise NotImplementedError


class LaunchContext:
    def __init__(self, *, argv=None):
        self.argv = argv
        self.launch_configurations = {}
        self.environment = {}


class LaunchDescription:
    def __init__(self, initial_entities=None):
        self.entities = list(initial_entities or [])

    def visit(self, context):
        return self.entities


class Action:
    def __init__(self, *, condition=None):
        self.__condition = condition

    @property
    def condition(self):
        return self.__condition

    def visit(self, context):
        if self.__condition is None or self.__condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context):
        raise AssertionError(f'{type(self).__name__} was carried out')
