from launch import Action
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions


def text(context, value):
    return perform_substitutions(context, normalize_to_list_of_substitutions(value))


class DeclareLaunchArgument(Action):
    def __init__(self, name, *, default_value=None, description=None, choices=None, **kwargs):
        super().__init__(**kwargs)
        self.name, self.default = name, default_value

    def execute(self, context):
        if self.name in context.launch_configurations:
            return
        if self.default is None:
            raise RuntimeError(f"Required launch argument '{self.name}' was not provided.")
        context.launch_configurations[self.name] = text(context, self.default)


class IncludeLaunchDescription(Action):
    def __init__(self, launch_description_source, *, launch_arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.__source, self.__arguments = launch_description_source, list(launch_arguments or [])

    def execute(self, context):
        description = self.__source.get_launch_description(context)
        for name, value in self.__arguments:
            context.launch_configurations[name] = text(context, value)
        return [description]


class PushLaunchConfigurations(Action):
    kept = []

    def execute(self, context):
        self.kept.append(dict(context.launch_configurations))


class PopLaunchConfigurations(Action):
    def execute(self, context):
        context.launch_configurations.clear()
        context.launch_configurations.update(PushLaunchConfigurations.kept.pop())


class GroupAction(Action):
    def __init__(self, actions, **kwargs):
        super().__init__(**kwargs)
        self.__actions = actions

    def execute(self, context):
        return [PushLaunchConfigurations(), *self.__actions, PopLaunchConfigurations()]


class OpaqueFunction(Action):
    def __init__(self, *, function, **kwargs):
        super().__init__(**kwargs)
        self.__function = function

    def execute(self, context):
        return self.__function(context)


class TimerAction(Action):
    def __init__(self, *, period, actions, **kwargs):
        super().__init__(**kwargs)
        self.__period, self.__actions = period, actions


class LogInfo(Action):
    def __init__(self, *, msg, **kwargs):
        super().__init__(**kwargs)
        print(msg)


class RegisterEventHandler(Action):
    def __init__(self, event_handler, **kwargs):
        super().__init__(**kwargs)


class ExecuteProcess(Action):
    def __init__(self, *, cmd, name=None, output='log', sigterm_timeout=None, **kwargs):
        super().__init__(**kwargs)
