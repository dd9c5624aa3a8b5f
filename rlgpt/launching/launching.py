"""``rlgpt launch`` and ``rlgpt resume``: a whole stack, from its launch file to its report."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from messages import plan, system, training, world
from messages.bus import Bus, BusError, RemoteError
from messages.bus.network.address import Host
from messages.codec import CodecError
from nodes.common.running.exit_codes import FAILED, REFUSED, UNUSABLE_FILE
from nodes.common.running.logs import LogFile
from nodes.config import key_folder
from rlgpt.bags.launch_recorder import LaunchRecorder
from rlgpt.cluster.host_choice import (
    check_engine,
    check_unplaced,
    cluster_of,
    placed_nodes,
    with_places,
)
from rlgpt.composing.configuration import (
    Stack,
    check,
    check_parameters,
    check_plan,
    check_samples,
    check_task,
    load,
    read,
    save,
)
from rlgpt.launching import control
from rlgpt.launching.collecting import collect
from rlgpt.launching.launch_progress import LaunchView, LiveView
from rlgpt.launching.machines import check_keys, check_machines
from rlgpt.launching.supervisor import CAUGHT_UP_EVERY, Supervisor
from rlgpt.refused import Refused, instead
from rlgpt.runs import run_folder
from rlgpt.runs.away import check_here
from rlgpt.runs.launches import Launches
from rlgpt.runs.typed import quoted_path, short_path
from rlgpt.terminal import console

GOAL = "goal"
"""The id of a run's one goal. It is the same when the run is resumed, so all is remembered."""

WIDTH = 120  # columns of the table without a terminal
_LOOK_EVERY = 1.0  # seconds between looks for the run folder


class NeverReady(Refused):
    """A node refused its part of the launch before all nodes were ready: nothing was done yet."""


def launch(name: str, overrides: list[str], excluded: list[str]) -> int:
    """Compose a launch, make its run folder and play it to the end. Returns the exit code."""
    from rlgpt.composing.composition import compose_launch  # Hydra: `resume` does not need it

    return launch_composed(compose_launch(name, overrides), name, excluded)


def launch_composed(data: dict[str, Any], name: str, excluded: list[str]) -> int:
    """Make the run folder of a composed launch and play it; errors refer to it by ``name``."""
    wanted = None if data.get("run") is None else str(data["run"])
    stack = check({**data, "run": str(wanted)}, name)
    check_task(stack, name)
    check_plan(stack, name)
    check_samples(stack, name)
    check_parameters(stack, name)
    _check_excluded(excluded, stack)
    check_engine(stack)
    check_unplaced(stack)
    away = check_machines(stack, excluded)
    host = cluster_of(stack, excluded)
    own = wanted is None or not run_folder.exists(wanted)
    run = run_folder.create(stack.name, wanted)
    before = run_folder.latest()
    with contextlib.ExitStack() as lock:
        try:
            data = with_places(data, stack, run, host)
            check_keys(run, stack.hosts, stack.keys, _key_owners(stack, away))
            lock.enter_context(run_folder.Lock(run))
            stack = _written(data, run)
        except BaseException:
            lock.close()
            # Secret keys may have been made in it. Another launch may have it by now.
            if own and not run_folder.launched(run):
                run_folder.remove(run, before)
            raise
        try:
            return _play(stack, run, excluded, away)
        except NeverReady as refused:
            # The user's own folder may have held something before, and what the sentence names in
            # one of ours, as the log of a server, is to be read.
            if not own or str(run.absolute()) in refused.sentence:
                raise _fixable(refused, run) from None
            run_folder.remove(run, before)
            raise


def resume(wanted: str | None, excluded: list[str]) -> int:
    """Start the stack of an existing run folder again and go on with its goal."""
    run = run_folder.find(wanted)
    with run_folder.Lock(run):
        check_here(run)
        stack = load(run)
        check_task(stack, str(run / "config.yaml"))
        check_parameters(stack, str(run / "config.yaml"))
        _check_excluded(excluded, stack)
        check_engine(stack)
        if placed_nodes(stack):  # their addresses are of this host and this time
            stack = _written(with_places(read(run), stack, run, cluster_of(stack, excluded)), run)
        away = check_machines(stack, excluded)
        check_keys(run, stack.hosts, stack.keys, _key_owners(stack, away))
        if stack.run != str(run):  # the folder was moved
            stack = _written(read(run), run)
        try:
            return _play(stack, run, excluded, away)
        except NeverReady as refused:
            raise _fixable(refused, run) from None


def _fixable(refused: Refused, run: Path) -> Refused:
    """The refusal of a node, with what to do about it in a run folder that stays."""
    return Refused(f"{refused.sentence}\n({_how_to_fix(quoted_path(run))})", code=FAILED)


def _how_to_fix(run: str) -> str:
    """What to do where a node refuses its configuration."""
    return f"fix {run}/config.yaml and `rlgpt resume {run}`, or launch again"


def _written(data: dict[str, Any], run: Path) -> Stack:
    data = {**data, "run": str(run)}
    try:
        save(data, run)
    except OSError as error:
        raise Refused(f"cannot write to the run folder {run} ({error.strerror})") from None
    return check(data, str(run / "config.yaml"))


def _key_owners(stack: Stack, away: Mapping[str, Host]) -> list[str]:
    """Whose secret keys this machine has to have."""
    return [*(node for node in stack.nodes if node not in away), "launcher"]


def _check_excluded(excluded: list[str], stack: Stack) -> None:
    for name in excluded:
        if name not in stack.nodes:
            known = instead(name, stack.nodes)
            raise Refused(f"`-{name}` leaves out a node that does not exist{known}")


def _play(stack: Stack, run: Path, excluded: list[str], away: Mapping[str, Host]) -> int:
    began = time.monotonic()
    run_folder.point_latest(run)
    view = LaunchView(console(WIDTH))
    view.log = _log(run).info
    launch = Launch(stack, run, excluded, list(away), view)
    count, shown = len(stack.nodes) - len(excluded), short_path(run)
    view.report(f"{stack.name}: {count} nodes, run folder {shown}")
    view.report("`rlgpt dash` shows this run in the browser")
    for name in excluded:
        there = f" on {away[name].host}, with a copy of config.yaml" if name in away else ""
        view.report(
            f"{name} is left out; run it yourself{there}: rlgpt run {name} --run {quoted_path(run)}"
        )
    launch.go()
    return launch.conclude(time.monotonic() - began)


def _log(run: Path) -> logging.Logger:
    log = logging.getLogger("rlgpt.launcher")
    log.setLevel(logging.INFO)
    log.propagate = False
    handler = LogFile(run / "launcher.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    return log


class Launch:
    """One launch of a stack: the launcher as a node of the bus, its nodes and its goal."""

    def __init__(
        self, stack: Stack, run: Path, excluded: list[str], away: list[str], view: LaunchView
    ) -> None:
        self._stack = stack
        self._away = away  # nodes on other machines
        self._run = run
        self._view = view
        self._report: plan.GoalReport | None = None
        self._trained: training.Trained | None = None
        self._goal_error: str | None = None
        self._invalid = ""  # the invalid input: spec or goal
        self._retryable = False  # the goal failed by a bug or a lost peer, not by a decision
        self._was_ready = False  # were all nodes ready at once?
        self._missed = False  # was the run folder gone at the last look?
        self._over = threading.Event()
        try:
            self._bus = Bus(
                run=run,
                node="launcher",
                hosts=stack.hosts,
                keys=key_folder(run, stack.keys),
                log=logging.getLogger("rlgpt.launcher.bus"),  # launcher.log; the view has its own
            )
        except BusError as error:
            raise Refused(str(error)) from None
        self._recorder: LaunchRecorder | None = None
        self._launches = Launches(run, view.report)
        self.supervisor = Supervisor(stack, run, excluded, self)

    def report(self, text: str) -> None:
        self._view.report(text)
        self._launches.restarted(self._restarts())

    def _folder_is_gone(self) -> bool:
        # Nodes may have made the folder again, for what they have written since.
        return not (self._run / "config.yaml").exists()

    def _look_for_folder(self) -> None:
        """End the launch once its folder is gone: what it does from then on would be lost."""
        gone = self._folder_is_gone()
        if gone and self._missed:  # twice: an editor may replace the file
            self.supervisor.finish()
        self._missed = gone

    def _restarts(self) -> dict[str, int]:
        return {s.node: s.restarts for s in self.supervisor.states()}

    def all_ready(self) -> None:
        """Every node is ready: send the goal."""
        self._view.report("all nodes are ready")
        self._launches.ready()
        self._was_ready = True
        stack = self._stack
        planned = stack.task is not None and "planner" in stack.nodes
        if planned or stack.training is not None:
            threading.Thread(target=self._pursue, name="goal", daemon=True).start()
        else:
            self._view.report("there is no goal; Ctrl-C ends the launch")

    def crashed(self, node: str, how: str) -> None:
        """A node's process has ended by itself."""
        self._bus.publish(system.CRASHES, system.Crash(node=node, how=how))

    def go(self) -> None:
        """Run the stack until its goal is over, a signal comes or a node fails for good."""
        self._subscribe()
        control.serve(self._bus, self.supervisor)
        self._bus.every(CAUGHT_UP_EVERY, self.supervisor.caught_up)
        self._bus.every(_LOOK_EVERY, self._look_for_folder)
        serving = threading.Thread(
            target=self._bus.spin, args=(self._over,), name="bus", daemon=True
        )
        serving.start()
        try:
            with (
                self.supervisor.ended_by_signals(),
                self._recorded(),
                LiveView(self._view, self.supervisor.states),
            ):
                self.supervisor.run()
            for sentence in collect(self._bus, self._run, self._away):
                self._view.report(sentence)
        finally:
            self._over.set()
            serving.join(5.0)
            self._bus.close()
            run_folder.remove_short_sockets(self._run)

    @contextlib.contextmanager
    def _recorded(self) -> Iterator[None]:
        """The launch is recorded, if its launch file says so."""
        if not self._stack.bag:
            yield
            return
        snapshot = self._stack.bag == "snapshot"
        self._recorder = LaunchRecorder(self._run, snapshot, self._view.report)
        try:
            self._recorder.wait_ready(lambda: self.supervisor.interrupted is not None)
            yield
        finally:
            self._recorder.stop()

    def _subscribe(self) -> None:
        view, bus = self._view, self._bus
        nodes = self._stack.nodes
        if "planner" in nodes:
            bus.subscribe(plan.PLAN, view.on_plan)
        if "slow_agent" in nodes:
            bus.subscribe(plan.ITERATIONS, view.on_iteration)
        if "fast_agent" in nodes:
            bus.subscribe(plan.WORKING, view.on_working)
        if "learner" in nodes:
            bus.subscribe(training.PROGRESS, view.on_progress)
        for name in self._stack.env_servers:
            bus.subscribe(world.ACTIVITY.at(name), partial(view.on_activity, name))
        for name in nodes:
            bus.subscribe(system.heartbeat(name), partial(self._on_heartbeat, name))
        for name in (*nodes, "launcher"):  # which waits for the planner itself
            bus.subscribe(system.diagnostics(name), partial(view.on_diagnostic, name))

    def _on_heartbeat(self, node: str, heartbeat: system.Heartbeat) -> None:
        """``node`` has sent it, whatever name is written in it."""
        self.supervisor.alive(node, heartbeat.notes, heartbeat.paused)
        self._view.on_heartbeat(node, heartbeat)

    def _pursue(self) -> None:
        if self._recorder is not None:
            self._recorder.wait_subscribed()
        try:
            if (spec := self._stack.training) is not None:
                goal = training.Train(spec=spec)
                self._trained = self._bus.run_goal(training.TRAIN, f"train/{spec.name}", goal)
            elif self._stack.task is not None:
                goal = plan.PursueGoal(task=self._stack.task, limits=self._stack.limits)
                self._report = self._bus.run_goal(plan.PURSUE, GOAL, goal)
        except (BusError, CodecError) as error:
            if self._over.is_set():
                return  # the launch ended first; the goal is resumed another time
            self._goal_error = error.message if isinstance(error, RemoteError) else str(error)
            self._retryable = isinstance(error, RemoteError) and error.retryable
            if isinstance(error, RemoteError) and error.code in ("invalid", "budget"):
                self._invalid = "goal" if self._stack.training is None else "spec"
        self.supervisor.finish()

    def conclude(self, seconds: float) -> int:
        """Write the report and print the outcome. Returns the exit code."""
        run = quoted_path(self._run)
        if self._folder_is_gone():
            raise Refused(
                f"the run folder {run} was removed or moved while it ran: launch again, or "
                "`rlgpt resume` it where it is now",
                code=FAILED,
            )
        self._launches.restarted(self._restarts())
        if self._report is not None:
            self._show(self._report, seconds)
            return 0
        if self._trained is not None:
            self._show_trained(self._trained, seconds)
            return 0
        if self.supervisor.failure is not None:
            self._view.log(f"failed: {self.supervisor.failure}")
            self._launches.end("failed", self.supervisor.failure)
            if self.supervisor.refusal == REFUSED and not self._was_ready:
                raise NeverReady(self.supervisor.failure)
            self._point_at_report()
            hint = f"more in {run}; `rlgpt resume {run}` goes on from where it stopped"
            if self.supervisor.refusal == REFUSED:
                hint = _how_to_fix(run)
            elif self.supervisor.refusal == UNUSABLE_FILE:
                hint = f"then `rlgpt resume {run}` goes on from where it stopped"
            raise Refused(f"{self.supervisor.failure}\n({hint})", code=FAILED)
        if self._goal_error is not None:
            self._view.log(f"failed: {self._goal_error}")
            self._launches.end("failed", self._goal_error)
            self._point_at_report()
            if self._invalid:
                raise Refused(f"the {self._invalid} is invalid: {self._goal_error}")
            hint = f"logs are in {run}"
            if self._retryable:
                hint += f"; once that is fixed, `rlgpt resume {run}` goes on"
            raise Refused(f"the goal failed: {self._goal_error} ({hint})", code=FAILED)
        number = self.supervisor.interrupted or signal.SIGINT
        self._launches.end("interrupted", signal.Signals(number).name)
        self._point_at_report()
        self._view.report(f"stopped in order; `rlgpt resume {run}` goes on from here")
        return 128 + number

    def _point_at_report(self) -> None:
        """Print where the report of a run that is not over is."""
        for label, path in self._files():
            self._view.report(f"{label}: {path}")

    def _show(self, report: plan.GoalReport, seconds: float) -> None:
        from rlgpt.report.iteration_table import iteration_table

        reached = "The goal was reached" if report.success else "The goal was not reached"
        self._view.log(f"{reached}: {report.reason}")
        # Files first: standard output may be full, as in `> /dev/full`.
        self._end_finished(report)
        files = self._files(report)
        show = self._view.console.print
        show(iteration_table(report))
        show(f"{reached}: {report.reason}", markup=False)
        again = ", ".join(f"{node} {count}x" for node, count in self._restarts().items() if count)
        show(f"{seconds:.0f} s" + (f", restarted: {again}" if again else ""))
        for label, path in files:
            show(f"{label:8}{path}", markup=False, soft_wrap=True)

    def _show_trained(self, trained: training.Trained, seconds: float) -> None:
        from rlgpt.report.words import trained_in_words

        self._view.log(trained_in_words(trained))
        self._launches.end("finished")
        files = self._files()
        show = self._view.console.print
        show(trained_in_words(trained), markup=False)
        show(f"{seconds:.0f} s")
        policy = short_path(self._run / trained.policy.checkpoint)
        for label, path in [("policy", policy), *files]:
            show(f"{label:8}{path}", markup=False, soft_wrap=True)

    def _end_finished(self, report: plan.GoalReport) -> None:
        from rlgpt.report.writing import written_before

        if written_before(self._run, report):
            self._launches.withdraw()
        else:
            self._launches.end("finished")

    def _files(self, report: plan.GoalReport | None = None) -> list[tuple[str, str]]:
        # The page and its charts are imported only at the end.
        from rlgpt.report.stores import check_readable
        from rlgpt.report.writing import write

        try:
            check_readable(self._run)
            summary, page = write(self._run, report)
        except (OSError, Refused) as error:
            why = str(error)
            if isinstance(error, OSError) and error.strerror:
                why = f"{error.filename or self._run}: {error.strerror}"
            self._view.report(f"the report could not be written: {why}")
            return []
        files = [("summary", short_path(summary)), ("report", short_path(page))]
        if report is None:
            return files[1:]
        videos = [i.video for i in report.iterations if i.video]
        if report.performance is not None and report.performance.video:
            videos.append(report.performance.video)
        if videos:
            files.append(("video", short_path(self._run / videos[-1])))
        return files
