"""What is wrong with a file that should be YAML, in a few words."""

import yaml


def yaml_problem(error: yaml.YAMLError | ValueError) -> str:
    """``"line 3: expected ',' or ']', but got '<stream end>'"``, without the file's name."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or " ".join(str(error).split())
    return f"line {mark.line + 1}: {problem}" if mark else str(problem)
