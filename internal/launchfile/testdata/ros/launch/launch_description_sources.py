import importlib.util


class AnyLaunchDescriptionSource:
    def __init__(self, launch_file_path):
        self.path = launch_file_path

    def get_launch_description(self, context):
        spec = importlib.util.spec_from_file_location('launch_file', self.path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.generate_launch_description()


PythonLaunchDescriptionSource = AnyLaunchDescriptionSource
