"""A program that runs in a worker stands where it is while the env server is paused."""

from messages.bus.gate import Gate


class PausableRun:
    """One run. ``what``: the name of what waits while it stands."""

    def __init__(self, gate: Gate, what: str) -> None:
        self._gate = gate
        self._what = what
        self._counted: int | None = None  # steps when the gate was looked at last; None: it is open

    def steps_allowed(self, stepped: int) -> int | None:
        """How many steps the run may begin, of which it has begun ``stepped``; None: any number.
        The number is another process's, and may be anything."""
        gate = self._gate
        if not gate.shut:
            self.end()
            return None
        if self._counted is not None:
            gate.take(stepped - self._counted)
        self._counted = stepped
        gate.note(self._what)
        return max(stepped, 0) + gate.steps

    def end(self) -> None:
        """The run is over, or goes on freely."""
        if self._counted is not None:
            self._counted = None
            self._gate.note("")
