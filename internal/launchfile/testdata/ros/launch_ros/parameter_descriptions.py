from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions


class ParameterValue:
    def __init__(self, value, *, value_type=None):
        self.__value, self.__type = normalize_to_list_of_substitutions(value), value_type

    def evaluate(self, context):
        text = perform_substitutions(context, self.__value)
        return text.lower() == 'true' if self.__type is bool else text
