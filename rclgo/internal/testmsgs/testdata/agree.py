"""Reads lines of {"type", "cdr", "values"} from Go and answers each with rclpy's view of the bytes.

The answer is {"cdr": ...}, the same message as rclpy serialises it, or {"error": ...} if the message that rclpy
reads has other values than Go wrote.
"""
import importlib
import json
import sys

from rclpy.serialization import deserialize_message, serialize_message


def find(name):
    """The class of a message, which for parts of services and actions is in a module of its own."""
    pkg, kind, message = name.split('/')
    importlib.import_module(f'{pkg}.{kind}')
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith(f'{pkg}.{kind}.') and message in vars(module):
            return vars(module)[message]
    raise LookupError(name)


def plain(value):
    if hasattr(value, 'get_fields_and_field_types'):
        return {f: plain(getattr(value, f)) for f in value.get_fields_and_field_types()
                if f != 'structure_needs_at_least_one_member'}
    if isinstance(value, bytes):
        return value[0]
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, 'item') and getattr(value, 'shape', None) == ():
        return value.item()
    return [plain(v) for v in value]


for line in sys.stdin:
    asked = json.loads(line)
    message = deserialize_message(bytes.fromhex(asked['cdr']), find(asked['type']))
    if plain(message) == asked['values']:
        answer = {'cdr': serialize_message(message).hex()}
    else:
        answer = {'error': f'rclpy reads {plain(message)}, Go wrote {asked["values"]}'}
    print(json.dumps(answer), flush=True)
