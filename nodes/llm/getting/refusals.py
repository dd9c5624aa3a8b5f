"""Why weights cannot be had, as the one sentence that the user is told."""

from nodes.exit_codes import FAILED, REFUSED


class Refused(Exception):
    """Something that the user can set right in the command or the files."""

    code = REFUSED


class Failed(Refused):
    """Something that went wrong on its way: the same command may do next time."""

    code = FAILED
