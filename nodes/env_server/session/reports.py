"""Reports on the runs of one program: grouped by how and where they ended."""

from messages.program import ProgramReport
from messages.world import View
from nodes.env_server.programs import Ending, Run
from nodes.env_server.readings import Readings
from nodes.env_server.views import changes, view
from nodes.env_server.worlds.world import Bools


class Reports:
    """Collects the endings of one program over a batch."""

    def __init__(self, program: str, readings: Readings) -> None:
        self._program = program
        self._readings = readings
        self._before: dict[int, View] = {}
        self._groups: dict[tuple[str, int], tuple[Ending, dict[str, str]]] = {}
        self._rows: dict[tuple[str, int], list[int]] = {}
        self.endings: dict[int, str] = {}  # in words, by environment

    def begin(self, rows: Bools) -> None:
        """The program is about to start in ``rows`` (B,)."""
        for row in rows.nonzero()[0].tolist():
            self._before[row] = view(self._readings, row)

    def ended(self, row: int, run: Run) -> None:
        """A run has ended, the world being as it left it. The first of its kind is the exemplar."""
        ending = run.ending
        if ending is None:
            return
        key = (ending.status, ending.line)
        self._rows.setdefault(key, []).append(row)
        self.endings[row] = f"{self._program} {_in_words(ending)}"
        if key not in self._groups:
            changed = changes(self._before[row], view(self._readings, row))
            self._groups[key] = (ending, changed)

    def said(self) -> list[ProgramReport]:
        """One report for each way of ending, the most frequent first."""
        reports = [
            ProgramReport(
                program=self._program,
                status=ending.status,
                count=len(self._rows[key]),
                steps=ending.steps,
                line=ending.line,
                last_primitive=ending.last_primitive,
                error=ending.error,
                changed=changed,
                environments=sorted(self._rows[key]),
            )
            for key, (ending, changed) in self._groups.items()
        ]
        return sorted(reports, key=lambda report: -report.count)


def _in_words(ending: Ending) -> str:
    if ending.status == "error":
        return f"failed at line {ending.line}: {ending.error}"
    if ending.status in ("fuel_exhausted", "time_limit"):
        return f"computed too long at line {ending.line}"
    if ending.status == "step_limit":
        return f"spent its {ending.steps} steps"
    return "came to its end"
