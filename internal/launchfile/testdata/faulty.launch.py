def generate_launch_description():
    raise KeyError('the map is missing')
