from launch import Action
from launch.actions import ExecuteProcess
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from launch_ros.descriptions import normalize_parameters


class Node(ExecuteProcess):
    def __init__(self, *, executable, package=None, name=None, namespace=None, parameters=None, remappings=None, arguments=None,
                 **kwargs):
        super().__init__(cmd=[executable], **kwargs)
        self.__package = package
        self.__node_executable = executable
        self.__node_name = name
        self.__node_namespace = namespace
        self.__parameters = [] if parameters is None else normalize_parameters(parameters)
        self.__remappings = [] if remappings is None else remappings

    @property
    def node_name(self):
        raise RuntimeError("cannot access 'node_name' before executing action")


class LifecycleNode(Node):
    def __init__(self, *, name, namespace, **kwargs):
        super().__init__(name=name, namespace=namespace, **kwargs)


class ComposableNodeContainer(Node):
    def __init__(self, *, name, namespace, composable_node_descriptions=None, **kwargs):
        super().__init__(name=name, namespace=namespace, **kwargs)
        self.__composable_node_descriptions = composable_node_descriptions


class LoadComposableNodes(Action):
    def __init__(self, *, composable_node_descriptions, target_container, **kwargs):
        super().__init__(**kwargs)
        self.__composable_node_descriptions = composable_node_descriptions
        self.__target_container = target_container


class PushROSNamespace(Action):
    def __init__(self, namespace, **kwargs):
        super().__init__(**kwargs)
        self.__namespace = normalize_to_list_of_substitutions(namespace)

    def execute(self, context):
        pushed = perform_substitutions(context, self.__namespace)
        around = context.launch_configurations.get('ros_namespace', '')
        if not pushed.startswith('/'):
            pushed = around.rstrip('/') + '/' + pushed
        context.launch_configurations['ros_namespace'] = pushed
