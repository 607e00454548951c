"""Prints what a Python launch file declares and starts, as JSON, on a machine without launch.

The file runs on stand-ins for the few names of launch and launch_ros that ours use. They take the arguments that the real
ones take and no others, so that what is misspelt here fails as it would there. Values are printed in the form in which XML
and YAML launch files write them: $(var network), $(find-pkg-share rstate)/config.
"""

import ast
import json
import sys
import types


class Substitution:
    def __init__(self, text):
        self.text = text


def show(value):
    """The text of a string, a substitution, or a list of these."""
    if isinstance(value, Substitution):
        return value.text
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ''.join(show(v) for v in value)
    raise TypeError(f'{value!r} is no text and no substitution')


def shown(value):
    return None if value is None else show(value)


class LaunchConfiguration(Substitution):
    def __init__(self, variable_name):
        super().__init__(f'$(var {variable_name})')


class ThisLaunchFileDir(Substitution):
    def __init__(self):
        super().__init__('$(dirname)')


class FindPackageShare(Substitution):
    def __init__(self, package):
        super().__init__(f'$(find-pkg-share {package})')


class PathJoinSubstitution(Substitution):
    def __init__(self, substitutions):
        super().__init__('/'.join(show(s) for s in substitutions))


class ParameterValue:
    def __init__(self, value, *, value_type=None):
        self.value, self.type = show(value), value_type.__name__ if value_type else ''


class DeclareLaunchArgument:
    def __init__(self, name, *, default_value=None, description=None, choices=None):
        if choices is not None and default_value is not None and default_value not in choices:
            raise RuntimeError(f'{name}: the default {default_value!r} is none of {choices}')
        self.entity = {'Kind': 'arg', 'Name': name, 'Default': shown(default_value), 'Description': description or '',
                       'Choices': choices}


class Node:
    kind = 'node'

    def __init__(self, *, executable, package=None, name=None, namespace=None, parameters=None, arguments=None,
                 output='log', sigterm_timeout=None):
        self.entity = {'Kind': self.kind, 'Package': shown(package), 'Executable': show(executable), 'Name': shown(name) or '',
                       'Namespace': shown(namespace) or '', 'Args': [show(a) for a in arguments or []],
                       'Output': show(output), 'SigtermTimeout': shown(sigterm_timeout) or '', 'Parameters': {}}
        for values in parameters or []:
            for key, v in values.items():
                v = v if isinstance(v, ParameterValue) else ParameterValue(v)
                self.entity['Parameters'][key] = {'Value': v.value, 'Type': v.type}


class LifecycleNode(Node):
    kind = 'lifecycle_node'

    def __init__(self, *, name, namespace, **rest):
        super().__init__(name=name, namespace=namespace, **rest)


class PythonLaunchDescriptionSource:
    def __init__(self, launch_file_path):
        self.path = show(launch_file_path)


class IncludeLaunchDescription:
    def __init__(self, launch_description_source, *, launch_arguments=None):
        given = {show(k): show(v) for k, v in launch_arguments or []}
        self.entity = {'Kind': 'include', 'File': launch_description_source.path, 'Given': given}


class LaunchDescription:
    def __init__(self, initial_entities=None):
        self.entities = [e.entity for e in initial_entities or []]


def stand_in(name, *things):
    module = types.ModuleType(name)
    for thing in things:
        setattr(module, thing.__name__, thing)
    sys.modules[name] = module


stand_in('launch', LaunchDescription)
stand_in('launch.actions', DeclareLaunchArgument, IncludeLaunchDescription)
stand_in('launch.launch_description_sources', PythonLaunchDescriptionSource)
stand_in('launch.substitutions', LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir)
stand_in('launch_ros')
stand_in('launch_ros.actions', LifecycleNode, Node)
stand_in('launch_ros.parameter_descriptions', ParameterValue)
stand_in('launch_ros.substitutions', FindPackageShare)


def words(tree):
    """Every string of the source that is no documentation."""
    documents = set()
    for n in ast.walk(tree):
        if isinstance(n, (ast.Module, ast.FunctionDef, ast.ClassDef)) and n.body and isinstance(n.body[0], ast.Expr):
            documents.add(n.body[0].value)
        if isinstance(n, ast.keyword) and n.arg == 'description':
            documents.add(n.value)
    return [n.value for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and n not in documents]


path = sys.argv[1]
with open(path) as f:
    source = f.read()
tree = ast.parse(source, path)
scope = {'__name__': 'launch_file', '__file__': path}
exec(compile(tree, path, 'exec'), scope)
json.dump({'Entities': scope['generate_launch_description']().entities, 'Words': words(tree)}, sys.stdout)
