"""Why weights cannot be had, as the one sentence that the user gets."""

from nodes.common.running.exit_codes import FAILED, REFUSED


class Refused(Exception):
    """Something that the user can correct in the command or the files."""

    code = REFUSED


class Failed(Refused):
    """Something went wrong on the way: the same command may succeed next time."""

    code = FAILED
