from launch import Substitution


class Text(Substitution):
    def __init__(self, text):
        self.text = text

    def perform(self, context):
        return self.text


def normalize_to_list_of_substitutions(value):
    if isinstance(value, str):
        return [Text(value)]
    if isinstance(value, Substitution):
        return [value]
    return [v if isinstance(v, Substitution) else Text(v) for v in value]


def perform_substitutions(context, substitutions):
    return ''.join(s.perform(context) for s in substitutions)
