"""Prints the nodes of a launch file as JSON, without starting them: describe.py FILE [name:=value ...]

It visits the launch description as ros2 launch does. Actions that only group, include and set are carried out, because the
names of the nodes depend on them. Actions that start something are described. All others are listed as unread.
"""
import sys

sys.path = [folder for folder in sys.path if folder]  # no modules of the current folder, as ros2 launch has it

import json
import os

NO_LAUNCH = 4

# Carried out: they start nothing. Newer and older spellings.
VISITED = {
    'LaunchDescription', 'DeclareLaunchArgument', 'IncludeLaunchDescription', 'GroupAction', 'OpaqueFunction',
    'SetLaunchConfiguration', 'UnsetLaunchConfiguration', 'PushLaunchConfigurations', 'PopLaunchConfigurations',
    'ResetLaunchConfigurations', 'SetEnvironmentVariable', 'UnsetEnvironmentVariable', 'AppendEnvironmentVariable',
    'PushEnvironment', 'PopEnvironment', 'ResetEnvironment', 'PushRosNamespace', 'PushROSNamespace', 'SetParameter',
    'SetParametersFromFile', 'SetRemap', 'SetUseSimTime', 'SetROSLogDir', 'ReplaceEnvironmentVariables',
}
# Neither carried out nor listed: they start no node.
PASSED = {'LogInfo', 'Log', 'LogDebug', 'LogWarning', 'LogError', 'EmitEvent', 'Shutdown', 'UnregisterEventHandler'}


def kinds(thing):
    return [c.__name__ for c in type(thing).__mro__]


def field(thing, name):
    """An attribute that one of the classes of a thing keeps for itself."""
    for c in type(thing).__mro__:
        key = f'_{c.__name__.lstrip("_")}__{name}'
        if hasattr(thing, key):
            return getattr(thing, key)
    return getattr(thing, name, None)


class Reader:
    def __init__(self, context, perform, normalize):
        self.context, self.perform, self.normalize = context, perform, normalize
        self.nodes, self.unread = [], []

    def text(self, value):
        if value is None:
            return ''
        return self.perform(self.context, self.normalize(value))

    def holds(self, thing):
        condition = getattr(thing, 'condition', None)
        if callable(condition) and not hasattr(condition, 'evaluate'):
            condition = condition()  # a method of a ComposableNode
        return condition is None or condition.evaluate(self.context)

    def visit(self, entity):
        known = kinds(entity)
        if not self.holds(entity):
            return
        if 'Node' in known:
            self.node(entity, 'LifecycleNode' in known)
            loaded = field(entity, 'composable_node_descriptions')
            self.composed(loaded or [], self.nodes[-1])
        elif 'LoadComposableNodes' in known:
            self.loaded(entity)
        elif 'TimerAction' in known:
            for action in field(entity, 'actions') or []:
                self.visit(action)
        elif known[0] in VISITED:
            for below in entity.visit(self.context) or []:
                self.visit(below)
        elif known[0] not in PASSED:
            self.unread.append(f'the launch file has a {known[0]}, which is not followed')

    def full(self, namespace):
        """A namespace below that of the groups around it."""
        around = self.context.launch_configurations.get('ros_namespace', '')
        if namespace.startswith('/'):
            return namespace
        return '/' + '/'.join(part.strip('/') for part in (around, namespace) if part.strip('/'))

    def describe(self, name, namespace, package, executable, parameters, remappings):
        node = {'name': self.text(name).lstrip('/'), 'namespace': self.full(self.text(namespace)),
                'package': self.text(package), 'executable': self.text(executable), 'lifecycle': False, 'container': '',
                'remappings': [[self.text(a), self.text(b)] for a, b in remappings or []]}
        for name, value in self.values(parameters):
            if name == 'node_names' and isinstance(value, (list, tuple)):
                node['node_names'] = [str(v) for v in value]
            if name == 'use_sim_time':
                node['use_sim_time'] = str(value).lower() == 'true'
        self.nodes.append(node)
        return node

    def values(self, parameters):
        """The parameters that the launch file itself gives. Files of parameters are not read."""
        common = [p for p in self.context.launch_configurations.get('global_params', None) or [] if isinstance(p, tuple)]
        for name, value in common:
            yield self.text(name), self.value(value)
        for entry in parameters or []:
            if not hasattr(entry, 'items'):
                continue
            for name, value in entry.items():
                try:
                    yield self.text(name), self.value(value)
                except (TypeError, ValueError) as fault:
                    print(f'the value of a parameter is left out: {fault}', file=sys.stderr)

    def value(self, value):
        if hasattr(value, 'evaluate'):  # a ParameterValue
            return value.evaluate(self.context)
        if isinstance(value, (bool, int, float)):
            return value
        substitutions = isinstance(value, (list, tuple)) and value and all(hasattr(v, 'perform') for v in value)
        if isinstance(value, (list, tuple)) and not substitutions:
            return [self.value(v) for v in value]
        return self.text(value)

    def node(self, action, lifecycle):
        node = self.describe(field(action, 'node_name'), field(action, 'node_namespace'), field(action, 'package'),
                             field(action, 'node_executable'), field(action, 'parameters'), field(action, 'remappings'))
        node['lifecycle'] = lifecycle

    def loaded(self, action):
        target = field(action, 'target_container')
        if 'Node' in kinds(target):
            name, namespace = self.text(field(target, 'node_name')), self.full(self.text(field(target, 'node_namespace')))
        else:
            namespace, _, name = self.text(target).rpartition('/')
            namespace = self.full(namespace)
        self.composed(field(action, 'composable_node_descriptions') or [], {'namespace': namespace, 'name': name})

    def composed(self, descriptions, container):
        """The nodes that a container loads. They share its process."""
        process = container['namespace'].rstrip('/') + '/' + container['name']
        if descriptions and 'package' in container:
            container['container'] = process
        for d in descriptions:
            if not self.holds(d):
                continue
            node = self.describe(d.node_name, d.node_namespace, d.package, d.node_plugin, d.parameters, d.remappings)
            node['container'] = process
            # Only newer releases of launch have this class. Otherwise a description does not say it.
            node['lifecycle'] = 'ComposableLifecycleNode' in kinds(d)


def main(path, given):
    try:
        from launch import LaunchContext
        from launch.actions import IncludeLaunchDescription
        from launch.launch_description_sources import AnyLaunchDescriptionSource
        from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
    except ImportError as fault:
        print(fault, file=sys.stderr)
        return NO_LAUNCH
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # what the launch file prints must not get between
    context = LaunchContext(argv=given)
    reader = Reader(context, perform_substitutions, normalize_to_list_of_substitutions)
    try:
        reader.visit(IncludeLaunchDescription(AnyLaunchDescriptionSource(path),
                                              launch_arguments=[tuple(g.split(':=', 1)) for g in given]))
    except Exception as fault:  # the code of the launch file may raise any
        print(f'{type(fault).__name__}: {fault}', file=sys.stderr)
        return 1
    json.dump({'nodes': reader.nodes, 'unread': reader.unread}, out)
    out.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
