"""What a launch shows while it runs: lines, or a live view on a terminal."""

import contextlib
import re
import threading
import time
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from messages.plan import Iteration, PlanStatus, Working
from messages.system import NOTICE, Diagnostic, Heartbeat, NodeState
from messages.training import Progress
from messages.world import Activity
from nodes.common.running.plain_text import plain_entry, plain_line
from rlgpt.launching.world_activity import together
from rlgpt.report.words import cut_short, decomposition
from rlgpt.terminal import hanging, plain_table

BETWEEN_PROGRESS_LINES = 5.0  # seconds


class LaunchView:
    """Receives the topics' messages, in the bus's thread, and prints them as lines; the live view
    also shows the latest of each."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.plan: PlanStatus | None = None
        self.iterations: dict[tuple[str, int], Iteration] = {}
        self.working = ""
        self.progress: Progress | None = None
        self.activities: dict[str, Activity] = {}  # by env server
        self.busy: dict[str, list[str]] = {}
        self.notices: dict[tuple[str, str], str] = {}
        self._began = time.monotonic()
        self._progress_reported = 0.0
        self._lock = threading.Lock()
        self.log: Callable[[str], None] = lambda text: None

    def report(self, text: str) -> None:
        """Print and log one line."""
        text = plain_entry(text)
        self.log(text)
        seconds = time.monotonic() - self._began
        # The reader of the output may end (`| head`); the launch goes on.
        with self._lock, contextlib.suppress(OSError):
            when = f"{seconds:7.1f} s"
            if self.console.is_terminal:
                self.console.print(hanging(Text(when, style="dim"), text))
            else:  # a line each, for programs that read the output
                self.console.print(f"{when}  {text}", markup=False, soft_wrap=True)

    def on_plan(self, plan: PlanStatus) -> None:
        if plan == self.plan:
            return
        self.plan = plan
        steps = "; ".join(
            f"{'done: ' if i < plan.current else '-> ' if i == plan.current else ''}{s.name}"
            for i, s in enumerate(plan.subtasks)
        )
        self.report(f"plan: {steps or 'nothing to do'}")

    def on_iteration(self, iteration: Iteration) -> None:
        key = (iteration.subtask, iteration.number)
        if self.iterations.get(key) == iteration:
            return
        self.iterations[key] = iteration
        rate = "not evaluated"
        if iteration.episodes:
            rate = f"{iteration.success_rate:.0%} of {iteration.episodes} episodes"
        self.report(
            f"iteration {iteration.number} of {iteration.subtask}: "
            f"{decomposition(iteration)}: {rate}{cut_short(iteration.cut)}"
        )

    def on_working(self, working: Working) -> None:
        before, self.working = self.working, plain_line(working.activity)
        # The same text with other numbers is not printed again.
        if _without_numbers(working.activity) != _without_numbers(before):
            self.report(f"fast_agent: {working.activity}")

    def on_progress(self, progress: Progress) -> None:
        new = self.progress is None or self.progress.policy != progress.policy
        self.progress = progress
        now = time.monotonic()
        if new or now - self._progress_reported >= BETWEEN_PROGRESS_LINES:
            self._progress_reported = now
            self.report(
                f"learner: {progress.samples:,} of {progress.budget:,} samples, success "
                f"{progress.success_rate:.0%}, return {progress.mean_return:.2f}, "
                f"{progress.steps_per_second:,.0f} steps/s"
            )

    def on_activity(self, env_server: str, activity: Activity) -> None:
        self.activities[env_server] = activity

    def on_heartbeat(self, node: str, heartbeat: Heartbeat) -> None:
        self.busy[node] = heartbeat.busy

    def on_diagnostic(self, node: str, diagnostic: Diagnostic) -> None:
        if diagnostic.level == NOTICE:
            # Several threads of a node may wait for the same one.
            key = (node, diagnostic.about)
            if self.notices.get(key) != diagnostic.message:
                self.notices[key] = diagnostic.message
                self.report(f"{node}: {diagnostic.message}")
        elif diagnostic.count in (1, 10, 100, 1000):
            times = f" ({diagnostic.count} times)" if diagnostic.count > 1 else ""
            self.report(
                f"{node}: {diagnostic.level}: {diagnostic.about}: {diagnostic.message}{times}"
            )


def _without_numbers(text: str) -> str:
    return re.sub(r"\d[\d.,]*", "", text)


class LiveView:
    """The latest of everything, below the lines, for as long as the ``with`` lasts. Does nothing
    where the console is no terminal."""

    def __init__(self, view: LaunchView, states: Callable[[], list[NodeState]]) -> None:
        self._view = view
        self._states = states
        self._live: Live | None = None

    def __enter__(self) -> "LiveView":
        if self._view.console.is_terminal:
            self._live = Live(
                console=self._view.console,
                get_renderable=self._render,
                refresh_per_second=4,
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live is not None:
            self._live.stop()

    def _render(self) -> RenderableType:
        parts: list[RenderableType] = [self._nodes()]
        if self._view.working and self._view.busy.get("fast_agent"):
            parts.append(Text(self._view.working, no_wrap=True, overflow="ellipsis"))
        progress, activities = self._view.progress, list(self._view.activities.values())
        if progress is not None and self._view.busy.get("learner"):
            row = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=max(progress.budget, 1), completed=progress.samples, width=40)
            row.add_row(
                "training",
                bar,
                f"{progress.samples:,} / {progress.budget:,} samples, "
                f"success {progress.success_rate:.0%}",
            )
            parts.append(row)
        if activities:
            activity = together(activities)
            parts.append(
                Text(
                    f"world: {activity.environments} environments, "
                    f"{activity.steps:,} steps, {activity.steps_per_second:,.0f} steps/s"
                )
            )
        return Group(*parts)

    def _nodes(self) -> Table:
        table = plain_table("node", "state", "pid", "restarts", "memory", "working on")
        colours = {"ready": "green", "failed": "red", "waiting": "yellow", "starting": "yellow"}
        for state in self._states():
            colour = colours.get(state.state, "dim")
            table.add_row(
                state.node,
                f"[{colour}]{state.state}[/]",
                str(state.pid or ""),
                str(state.restarts or ""),
                f"{state.memory / 2**20:.0f} MiB" if state.memory else "",
                escape(", ".join(self._view.busy.get(state.node, []))),
            )
        return table
