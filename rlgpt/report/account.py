"""The account of a run, made from what its nodes have stored: as far as it has come by now.

The planner's report describes a goal that is over. A goal that is not over is described by its
subtasks, which the slow agent was sent, and by their iterations, which it remembers.
"""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus.actions.goal_store import FINISHED
from messages.interface import Action
from messages.plan import (
    ACHIEVE,
    EVALUATE,
    IMPLEMENT,
    PERFORM,
    PURSUE,
    AchieveSubtask,
    GoalReport,
    Iteration,
    Perform,
    Performed,
    PlanStatus,
    Subtask,
    SubtaskReport,
)
from messages.training import TRAIN, Train, Trained
from messages.undecodable import UNDECODABLE
from messages.world import Task
from rlgpt.composing.configuration import StrictTask
from rlgpt.refused import Refused, instead
from rlgpt.report import node_files, stores
from rlgpt.report.run_state import Ending, State, state
from rlgpt.report.stores import GoalHead
from rlgpt.report.words import trained_in_words

GOAL_REPORT = "goal_report.json"
Value = TypeVar("Value")


class GoalLine(msgspec.Struct, frozen=True, kw_only=True):
    """A goal that a caller outside of the nodes has sent, or one that is under way."""

    id: str
    action: str
    status: str  # of the action; "succeeded" also where the goal was not reached
    text: str = ""  # why it failed
    reached: bool | None = None  # None: not known; see `goal_outcomes`


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A `GoalReport` as far as it goes. ``goals``: all that were sent from outside; ``under_way``:
    what is being done for them, innermost last."""

    state: State
    goal: str
    task: Task | None
    subtasks: list[Subtask]
    iterations: list[Iteration]
    success: bool
    reason: str
    performance: Performed | None = None
    validations: list[Performed] = []  # performances before, which decided what was performed
    stopped: dict[str, str] = {}
    chosen: dict[str, int] = {}
    goals: list[GoalLine] = []
    under_way: list[GoalLine] = []
    trainings: list[str] = []  # goals of those that belong to no iteration that is over
    trained: Trained | None = None  # where the goal is a training and it is over
    whole: GoalReport | None = None  # of a goal that is over, as the planner reported it


def account(run: Path, goal: str | None = None, report: GoalReport | None = None) -> Account:
    """The account of the newest goal of a run, or of the one that is named. ``report`` is the
    launcher's, if it has one. Raises Refused for an unknown goal."""
    every = {action.name: stores.goals(run, action) for action in _ACTIONS}  # without what is large
    pursued = every[PURSUE.name]
    outer = _outermost([record for records in every.values() for record in records])
    record = _chosen(run, goal, pursued, outer)
    lines = [_line(each) for each in outer]
    under_way = [_line(each) for each in _all(every) if each.status not in FINISHED]
    if report is None and record is not None and record.action == PURSUE.name:
        report = _result(run, record, GoalReport)
    if report is None and goal is None and record is None:
        report = _written(run)
    known = _of_report(report) if report is not None else _of_parts(run, record, every)
    if record is not None and record.action == TRAIN.name:
        known = _with_training(run, known, record)
    over = report is not None or known.trained is not None
    ending = Ending(
        there=known.task is not None or record is not None,
        success=known.success if over else None,
        done=record is not None and record.status == "succeeded",
        failure=record.text if record is not None and record.status == "failed" else "",
    )
    now = state(run, ending)
    return msgspec.structs.replace(
        known,
        state=now,
        goal=record.goal if record is not None else "",
        reason=known.reason or _sentence(now),
        goals=lines,
        under_way=under_way if now.kind == "running" else [],
    )


_ACTIONS: tuple[Action[Any, Any, Any], ...] = (PURSUE, ACHIEVE, IMPLEMENT, EVALUATE, PERFORM, TRAIN)
_BY_NAME = {action.name: action for action in _ACTIONS}
_NOT_YET = State(kind="unfinished", text="")


def _chosen(
    run: Path, goal: str | None, pursued: list[GoalHead], outer: list[GoalHead]
) -> GoalHead | None:
    """The goal that the account is of: a planner's where there is one."""
    if goal is None:
        return next(iter([*reversed(pursued), *reversed(outer)]), None)
    named = [each for each in [*pursued, *outer] if each.goal == goal]
    if not named:
        known = list(dict.fromkeys(each.goal for each in [*pursued, *outer]))
        raise Refused(f"{run.name} was given no goal `{goal}`{instead(goal, known)}")
    return named[0]


def _outermost(records: list[GoalHead]) -> list[GoalHead]:
    """Goals sent from outside: no other goal's id is a prefix of theirs."""
    ids = {record.goal for record in records}
    return [record for record in records if not any(_above(record.goal, ids))]


def _above(goal: str, ids: set[str]) -> list[str]:
    parts = goal.split("/")
    return [name for n in range(1, len(parts)) if (name := "/".join(parts[:n])) in ids]


def _all(every: dict[str, list[GoalHead]]) -> list[GoalHead]:
    return sorted((r for records in every.values() for r in records), key=lambda r: len(r.goal))


def _line(record: GoalHead) -> GoalLine:
    return GoalLine(id=record.goal, action=record.action, status=record.status, text=record.text)


def _sentence(now: State) -> str:
    return f"{now.text[:1].upper()}{now.text[1:]}."


def _written(run: Path) -> GoalReport | None:
    """The report that a launcher wrote, where the planner's folder is on another machine."""
    try:
        return msgspec.json.decode((run / GOAL_REPORT).read_bytes(), type=GoalReport)
    except (OSError, *UNDECODABLE):
        return None


def _of_report(report: GoalReport) -> Account:
    return Account(
        state=_NOT_YET,
        goal="",
        task=report.task,
        subtasks=report.subtasks,
        iterations=report.iterations,
        success=report.success,
        reason=report.reason,
        performance=report.performance,
        validations=report.validations,
        stopped=report.stopped,
        chosen=report.chosen,
        whole=report,
    )


def _of_parts(run: Path, record: GoalHead | None, every: dict[str, list[GoalHead]]) -> Account:
    """Of a goal without a report, or of none at all."""
    known = Account(
        state=_NOT_YET,
        goal="",
        task=_task(run, record),
        subtasks=[],
        iterations=[],
        success=False,
        reason="",
    )
    if record is None:
        return known
    inside = {
        action: [each for each in heads if _within(each.goal, record.goal)]
        for action, heads in every.items()
    }
    known = _with_practices(run, known, inside[ACHIEVE.name], inside[TRAIN.name])
    known = _with_performances(run, known, inside[PERFORM.name])
    planned = stores.memory(run, "planner", f"{record.goal}/plan", PlanStatus)
    return known if planned is None else msgspec.structs.replace(known, subtasks=planned.subtasks)


def _with_practices(
    run: Path, known: Account, practices: list[GoalHead], trainings: list[GoalHead]
) -> Account:
    """With its subtasks, their iterations, and the trainings that belong to none that is over."""
    task = known.task
    subtasks: list[Subtask] = []
    iterations: list[Iteration] = []
    stopped: dict[str, str] = {}
    chosen: dict[str, int] = {}
    over: set[str] = set()  # the goals of iterations that are over
    for practice in practices:
        request = _request(run, practice, AchieveSubtask)
        if request is None:
            continue
        if task is not None and task.lacks_success:  # until the planner made it of the prompt
            task = msgspec.structs.replace(task, success=request.task.success)
        if not request.history:  # else it was begun before
            subtasks.append(request.subtask)
        done = _result(run, practice, SubtaskReport)
        if done is None:
            made = _iterations(run, practice.goal, len(request.history))
        else:
            made = done.iterations
            stopped[request.subtask.name] = done.reason
            if done.chosen is not None:
                chosen[request.subtask.name] = done.chosen
        iterations += made
        over |= {f"{practice.goal}/iteration-{each.number}" for each in made}
    return msgspec.structs.replace(
        known,
        task=task,
        subtasks=subtasks,
        iterations=iterations,
        stopped=stopped,
        chosen=chosen,
        trainings=[
            training.goal
            for training in trainings
            if not any(_within(training.goal, iteration) for iteration in over)
        ],
    )


def _with_performances(run: Path, known: Account, performances: list[GoalHead]) -> Account:
    """With its validations and the performance."""
    validations: dict[int, Performed] = {}
    performance: Performed | None = None
    for head in performances:
        asked, done = _request(run, head, Perform), _result(run, head, Performed)
        if asked is None or done is None:
            continue
        if asked.validation is None:
            performance = done
        else:
            validations[asked.validation] = done
    return msgspec.structs.replace(
        known,
        performance=performance,
        validations=[validations[number] for number in sorted(validations)],
    )


def _with_training(run: Path, known: Account, record: GoalHead) -> Account:
    """Of a training that is a goal by itself: it is reached with the success rate that ends it."""
    request, trained = _request(run, record, Train), _result(run, record, Trained)
    if request is None or trained is None:
        return known
    return msgspec.structs.replace(
        known,
        success=trained.success_rate >= request.spec.stop_at,
        reason=trained_in_words(trained),
        trained=trained,
        trainings=[],
    )


def _within(goal: str, outer: str) -> bool:
    return goal == outer or goal.startswith(f"{outer}/")


def _iterations(run: Path, subtask: str, known: int) -> list[Iteration]:
    """Those of a practice that is not over, after ``known`` earlier ones."""
    found: list[Iteration] = []
    while True:
        name = f"{subtask}/iteration-{known + len(found)}"
        iteration = stores.memory(run, "slow_agent", name, Iteration)
        if iteration is None:
            return found
        found.append(iteration)


def _task(run: Path, record: GoalHead | None) -> Task | None:
    """The task of a goal; of a run whose goal was not sent yet, by its config."""
    if record is None:
        config = node_files.config(run)
        planned = "planner" in node_files.part(config, "nodes")
        task = node_files.part(config, "task") if planned else {}
        try:
            return msgspec.convert(task, StrictTask) if task else None
        except msgspec.ValidationError:
            return None
    request = _request(run, record, _BY_NAME[record.action].goal)
    if isinstance(request, Train):
        return request.spec.task
    return getattr(request, "task", None)


def _request(run: Path, head: GoalHead, kind: type[Value]) -> Value | None:
    record = stores.goal(run, _BY_NAME[head.action], head.goal)
    return None if record is None else stores.request(record, kind)


def _result(run: Path, head: GoalHead, kind: type[Value]) -> Value | None:
    """None unless it succeeded."""
    if head.status != "succeeded":
        return None
    record = stores.goal(run, _BY_NAME[head.action], head.goal)
    return None if record is None else stores.result(record, kind)
