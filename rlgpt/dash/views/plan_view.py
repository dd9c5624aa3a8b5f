"""The plan of a run, what is being worked on, and the outcome of each iteration."""

from pathlib import Path
from typing import Any

import msgspec

from messages.bus.actions.goal_store import FINISHED
from messages.plan import IMPLEMENT, GuardLine, Implement, Implemented, Iteration, Line, Performed
from messages.world import DEFAULT_GAME
from nodes.common.goals import guard_counts
from nodes.common.goals.goal_ids import file_name, slug
from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.dash.views.practised_goals import PractisedGoals
from rlgpt.dash.views.program_view import program_id
from rlgpt.report import node_files, stores
from rlgpt.report.account import Account, account
from rlgpt.report.goal_outcomes import outcome
from rlgpt.report.known_success import known_success
from rlgpt.report.required_rates import RequiredRates
from rlgpt.report.summary import summarise
from rlgpt.report.words import condition, reward, start, subtask_names, successes

_GOALS = 500
"""Goals that a person can choose among, the newest."""


def plan(
    run: Path, goal: str | None = None, conversation: Conversation | None = None
) -> dict[str, Any]:
    """All that the page's overview shows of a run: of its newest goal, or the one that is named.
    ``conversation``: the run's, which has been read before. Raises Refused for an unknown goal."""
    known = account(run, goal)
    conversation = conversation or Conversation(run)
    summary = summarise(run, known, questions=conversation.asked())
    config = node_files.config(run)
    limits = node_files.part(config, "limits")
    game = known.task.game if known.task is not None else DEFAULT_GAME
    success, rates = known_success(known), RequiredRates(run, known.goal)
    alone = known.subtasks[0].name if len(known.subtasks) == 1 else ""
    of = success.subtask or alone
    return {
        "run": summary.run,
        "launch": summary.launch,
        "seed": summary.seed,
        "state": known.state,
        "success": known.success,
        "reason": known.reason,
        "known_success": success,
        "required": rates.of(of) if of else rates.whole,
        "limits": limits,
        "world": node_files.part(config, "world").get("kind", ""),
        "language_model": summary.questions.profile,
        "task": _task(known, game),
        "samples": summary.samples,
        "episodes": summary.episodes,
        "questions": summary.questions,
        "wall_seconds": summary.wall_seconds,
        "restarts": summary.restarts,
        "jail": summary.jail,
        "subtasks": _subtasks(run, known, game, rates),
        "performance": _performance(known.performance),
        "under_way": known.under_way,
        "goal": known.goal,
        "goals": [{"id": each.id, "outcome": outcome(each)} for each in summary.goals[-_GOALS:]],
        "all_goals": len(summary.goals),
        "reached_goals": sum(each.reached is True for each in summary.goals),
        "steps": summary.env_server_steps,
        "troubles": node_files.troubles(run),
    }


def _of_goal(id: str, goal: str) -> bool:
    return id == goal or id.startswith(f"{goal}/")


def _task(known: Account, game: str) -> dict[str, Any] | None:
    task = known.task
    if task is None:
        return None
    return {
        "id": task.id,
        "prompt": task.prompt,
        "success": condition(task.success, game) if task.success.kind else "",
        "start": start(task),
        "inventory": task.inventory,
        "horizon": task.horizon,
        "game": game,
    }


def _subtasks(run: Path, known: Account, game: str, rates: RequiredRates) -> list[dict[str, Any]]:
    planned = {subtask.name: subtask for subtask in known.subtasks}
    goals = PractisedGoals(run, known.goal)
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(subtask_names(known.subtasks, known.iterations)):
        subtask = planned.get(name)
        turns = [each for each in known.iterations if each.subtask == name]
        # Of this goal and this subtask alone: its id may begin another's.
        pursued = goals.of_subtask(name, f"{known.goal}/{place}-{slug(name)}")
        number = len(turns)  # of the iteration that is not over
        active = any(_of_goal(line.id, pursued) for line in known.under_way)
        done = name in known.stopped or known.whole is not None
        rows.append(
            {
                "name": name,
                "required": rates.of(name),
                "success": condition(subtask.success, game) if subtask is not None else "",
                "why": subtask.why if subtask is not None else "",
                "state": "active" if active else "done" if done else "waiting",
                "stopped": known.stopped.get(name, ""),
                "chosen": known.chosen.get(name),
                "goal": pursued,
                "iterations": [
                    _iteration(each, goals.of_iteration(name, each.number, pursued), game)
                    for each in turns
                ],
                "current": (
                    _current(run, goals.of_iteration(name, number, pursued), number, game)
                    if active
                    else None
                ),
            }
        )
    return rows


def _iteration(turn: Iteration, goal: str, game: str) -> dict[str, Any]:
    policies = {stage.sub_action.name: stage for stage in turn.stages}
    unseen = turn.unseen
    return {
        "number": turn.number,
        "goal": goal,
        "success_rate": turn.success_rate,
        "successes": successes(turn),
        "episodes": turn.episodes,
        "cut": turn.cut,
        "further": turn.further,
        "samples": {**msgspec.to_builtins(turn.samples), "total": turn.samples.total},
        "seconds": turn.seconds,
        "video": turn.video,
        "endings": unseen.endings if unseen is not None else [],
        "held": unseen.held if unseen is not None else [],
        "weakest": unseen.weakest if unseen is not None else None,
        "lines": [_line(line, policies.get(line.sub_action.name), game) for line in turn.lines],
        "guards": [_guard(line) for line in turn.guards],
    }


def _line(line: Line, stage: Any, game: str) -> dict[str, Any]:
    verdict = line.verdict
    policy = stage.policy if stage is not None else None
    program = stage.program if stage is not None else None
    learning = line.learning
    return {
        **_aim(line.sub_action, game),
        "attempts": line.attempts,
        "verdict": verdict,
        "macros": line.macros,
        "skill": line.skill,
        "program": program_id(program.source) if program is not None else None,
        "policy": file_name(policy.id) if policy is not None else None,
        "spec": _spec(stage.spec, game) if stage is not None and stage.spec is not None else None,
        "learning": (
            {
                "samples": learning.samples,
                "stopped": learning.stopped,
                "choices": learning.choices,
                "mistakes": learning.mistakes,
            }
            if learning is not None
            else None
        ),
    }


def _aim(sub_action: Any, game: str) -> dict[str, Any]:
    return {
        "name": sub_action.name,
        "method": sub_action.method,
        "description": sub_action.description,
        "aim": condition(sub_action.success, game),
    }


def _spec(spec: Any, game: str) -> dict[str, Any]:
    interface = spec.interface
    return {
        "observations": interface.observations,
        "actions": interface.actions,
        "macros": [{"name": m.name, "program": program_id(m.source)} for m in interface.macros],
        "rewards": [reward(term, game) for term in interface.rewards],
        "horizon": interface.horizon,
        "budget": spec.budget,
    }


def _guard(line: GuardLine) -> dict[str, Any]:
    return {
        "name": line.proposal.name,
        "method": line.proposal.method,
        "when": line.proposal.when,
        "made": line.made,
        "text": guard_counts.line_in_words(line),
    }


def _performance(performed: Performed | None) -> dict[str, Any] | None:
    if performed is None:
        return None
    return {
        "success_rate": performed.success_rate,
        "episodes": [
            {
                "seed": each.seed,
                "success": each.success,
                "steps": each.steps,
                "ended": each.ended,
                "subtask": each.subtask,
                "reason": each.reason,
            }
            for each in performed.episodes
        ],
        "milestones": performed.milestones,
        "video": performed.video,
        "cut": performed.cut,
    }


def _current(run: Path, goal: str, number: int, game: str) -> dict[str, Any] | None:
    """The iteration that is not over: the sub-actions that the fast agent was sent so far."""
    lines: list[dict[str, Any]] = []
    for head in stores.goals(run, IMPLEMENT):
        wanted = head.goal.startswith(f"{goal}/")
        record = stores.goal(run, IMPLEMENT, head.goal) if wanted else None
        request = None if record is None else stores.request(record, Implement)
        if record is None or request is None:
            continue
        done = stores.result(record, Implemented)
        lines.append(
            {
                **_aim(request.sub_action, game),
                "state": record.status if record.status in FINISHED else "active",
                "verdict": done.line.verdict if done is not None else None,
            }
        )
    return {"number": number, "lines": lines} if lines else None
