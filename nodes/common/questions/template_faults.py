"""Where a prompt's template is wrong, in words for the user who edited it."""

import traceback

import jinja2

_SUFFIX = ".jinja"


def template_fault(error: jinja2.TemplateError, given: str = "a template") -> str:
    """``FILE, line 3: 'nope' is undefined``. ``given``: what a template is called whose text was
    given, so that Jinja knows no file."""
    if isinstance(error, jinja2.TemplateNotFound):
        return f"there is no template {error.name}"
    if isinstance(error, jinja2.TemplateSyntaxError):
        where, line = error.filename, error.lineno
    else:
        # Jinja names the template's file and line in the traceback only.
        frames = traceback.extract_tb(error.__traceback__)
        places = [frame for frame in frames if frame.filename.endswith((_SUFFIX, "<template>"))]
        where, line = (places[-1].filename, places[-1].lineno) if places else (None, None)
    named = where if where and where.endswith(_SUFFIX) else given
    return f"{named}{f', line {line}' if line else ''}: {error.message}"
