"""Converts ROS messages to JSON values and back. Fields have the names that they have in the interface files."""
import importlib
import re


def plain(value):
    """A message, or a part of one, in dicts, lists and numbers."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value[0] if len(value) == 1 else list(value)
    if hasattr(value, "tolist"):  # numpy's and array's arrays
        return value.tolist()
    return [plain(one) for one in value]


def fill(message, values):
    """Sets the fields that are given; the others keep their defaults. An unknown field is a mistake of the test."""
    kinds = message.get_fields_and_field_types()
    for name, value in (values or {}).items():
        if name not in kinds:
            raise ValueError(f"{type(message).__name__} has no field {name!r}; it has {', '.join(kinds)}")
        setattr(message, name, made(getattr(message, name), value, kinds[name]))
    return message


def made(present, value, kind):
    if isinstance(value, dict):
        return fill(present, value)
    if isinstance(value, list):
        listed = re.fullmatch(r"sequence<([^,>]+)(?:, \d+)?>|(.+)\[\d+\]", kind)
        element = listed[1] or listed[2]
        if "/" in element:
            package, name = element.split("/")
            cls = getattr(importlib.import_module(package + ".msg"), name)
            return [fill(cls(), one) for one in value]
        return bytes(value) if isinstance(present, bytes) else value
    return float(value) if kind in ("float", "double") else value
