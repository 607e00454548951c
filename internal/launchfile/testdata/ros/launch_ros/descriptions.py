from launch.utilities import normalize_to_list_of_substitutions

from launch_ros.parameter_descriptions import ParameterValue


def normalize(value):
    if isinstance(value, (bool, int, float, ParameterValue)):
        return value
    if isinstance(value, list):
        return [normalize(v) for v in value]
    return tuple(normalize_to_list_of_substitutions(value))


def normalize_parameters(parameters):
    """Keys are tuples of substitutions, values are numbers, such tuples, or lists of them. Files stay as they are."""
    return [{tuple(normalize_to_list_of_substitutions(k)): normalize(v) for k, v in p.items()} if hasattr(p, 'items') else p
            for p in parameters]


class ComposableNode:
    def __init__(self, *, package, plugin, name=None, namespace=None, parameters=None, remappings=None, condition=None):
        self.package = normalize_to_list_of_substitutions(package)
        self.node_plugin = normalize_to_list_of_substitutions(plugin)
        self.node_name = None if name is None else normalize_to_list_of_substitutions(name)
        self.node_namespace = None if namespace is None else normalize_to_list_of_substitutions(namespace)
        self.parameters = None if parameters is None else normalize_parameters(parameters)
        self.remappings = remappings
        self.__condition = condition

    def condition(self):
        return self.__condition
