"""Lets the generators of ROS 2 parse each interface once.

Nine generators run in a build of interfaces, and each spends half of its time on parsing the same files. Python imports this
module when it starts, because setup puts it into a folder of the build that is in PYTHONPATH. It keeps there what the parser
makes of a text, in a file that is named after the text.
"""
import hashlib
import importlib.util
import os
import pickle
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def remember(parser):
    """Makes the parser look into the folder first."""
    parse = parser.parse_idl_string

    def parse_idl_string(text, png_file=None):
        path = os.path.join(FOLDER, hashlib.sha256(text.encode()).hexdigest())
        try:
            with open(path, "rb") as file:
                return pickle.load(file)
        except FileNotFoundError:
            content = parse(text, png_file)
        mine = f"{path}.{os.getpid()}"  # another generator may be at the same file
        with open(mine, "wb") as file:
            pickle.dump(content, file)
        os.replace(mine, path)
        return content

    parser.parse_idl_string = parse_idl_string


class Finder:
    """Changes the parser when it is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "rosidl_parser.parser":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            remember(module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
