"""What is wrong with a file that should be YAML, in a few words."""


def yaml_problem(error: Exception) -> str:
    """``"line 3: expected ',' or ']', but got '<stream end>'"``, without the file's name; of an
    error that is not YAML's own, its text in one line."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or " ".join(str(error).split())
    return f"line {mark.line + 1}: {problem}" if mark else str(problem)
