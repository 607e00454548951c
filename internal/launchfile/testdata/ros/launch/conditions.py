from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions


class IfCondition:
    def __init__(self, predicate):
        self.predicate = normalize_to_list_of_substitutions(predicate)

    def evaluate(self, context):
        return perform_substitutions(context, self.predicate).lower() in ('true', '1')
