"""What can be wrong with a world that is no fault of who asked for it."""


class WorldError(RuntimeError):
    """A world that is not there, and what to do about it."""
