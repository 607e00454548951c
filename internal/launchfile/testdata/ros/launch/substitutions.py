from launch import Substitution


class LaunchConfiguration(Substitution):
    def __init__(self, name):
        self.name = name

    def perform(self, context):
        if self.name not in context.launch_configurations:
            raise LookupError(f"launch configuration '{self.name}' does not exist")
        return context.launch_configurations[self.name]
