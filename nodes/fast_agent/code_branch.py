"""The code branch: write a program, check it, try it, ask the critic for a verdict, repair it."""

from messages.bus import RemoteError
from messages.chat import ProgramAnswer, ProgramAttempt, ProgramQuestion
from messages.plan import Stage
from messages.program import CHECK, CheckProgram, Program
from nodes.asking import ask
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import (
    Implementing,
    Outcome,
    Spent,
    failed,
    judge,
    longest_tryout,
    try_out,
)
from nodes.fast_agent.inlining import clashes, with_skills
from nodes.fast_agent.portions import OutOfSamples
from nodes.fast_agent.skill_use import LookedUp
from nodes.fast_agent.tried_programs import TriedPrograms
from nodes.goal_ids import slug


def implement_by_code(
    agent: Agent, goal: Implementing, tried: TriedPrograms, looked_up: LookedUp, spent: Spent
) -> Outcome:
    """Implement a sub-action by code: at most ``1 + repairs`` programs are tried out; the best of
    them is the implementation. Programs that the check rejects do not count as tries, up to
    ``refusals`` of them. Programs may call the skills that were looked up; ``spent`` is what the
    goal has cost before. What is tried out is remembered among the ``tried``."""
    request, sub_action = goal.request, goal.request.sub_action
    outcome = Outcome()
    attempts: list[ProgramAttempt] = []
    best: int | None = None
    tries = refused = number = 0
    while tries <= agent.parameters.repairs and refused <= agent.parameters.refusals:
        goal.check()
        agent.working(goal, f"writing program {number} for {sub_action.name!r}")
        question = ProgramQuestion(
            task=request.task,
            sub_action=sub_action,
            before=request.before,
            attempts=attempts,
            history=request.history,
            skills=looked_up.notes,
            tried=request.tried,
            performed=request.performed,
            best=best,
            left=agent.parameters.repairs - tries,
        )
        try:
            answer = ask(agent, f"{goal.id}/program-{number}", question, ProgramAnswer)
        except RemoteError as error:
            if error.code != "no_answer":
                raise
            if outcome.stage is None:
                outcome.verdict = failed(str(error))
            break
        repeated = next((each for each in attempts if each.source == answer.source), None)
        if repeated is not None and not repeated.problems:
            break  # the same program again: there is no new idea to try
        outcome.attempts += 1
        program = Program(
            name=slug(sub_action.name),
            source=with_skills(answer.source, looked_up.sources),
            purpose=sub_action.description or sub_action.name,
            max_steps=agent.parameters.program_steps or request.task.horizon,
        )
        agent.save(f"{goal.id}/program-{number}", program)
        number += 1
        problems = clashes(answer.source, looked_up.sources)
        problems += agent.call(CHECK, CheckProgram(program=program)).problems
        if problems:
            refused += 1
            if repeated is None:  # else the same question is put again
                attempts.append(ProgramAttempt(source=answer.source, problems=problems))
            if outcome.stage is None:
                every = "; ".join(f"line {each.line}: {each.message}" for each in problems)
                outcome.verdict = failed(f"The program may not run: {every}")
            continue
        this = number - 1
        agent.working(goal, f"trying program {this} for {sub_action.name!r}")
        stage = Stage(sub_action=sub_action, program=program, guards=request.guards)
        try:
            most = _for_one(agent, goal, stage, spent, last=tries == agent.parameters.repairs)
            played = try_out(agent, goal, this, stage, most)
        except OutOfSamples as reason:
            if outcome.stage is None:
                outcome.verdict = failed(str(reason))
            break
        tries += 1
        spent.tried(played)
        verdict = judge(agent, goal, this, played, macros=[])
        if outcome.offer(stage, verdict, [], played):
            best = len(attempts)
        tried.remember(goal, program, verdict, len(played.episodes))
        if verdict.success:
            break
        in_words = f"{verdict.reason} {verdict.suggestion}".strip()
        attempts.append(
            ProgramAttempt(source=answer.source, reports=played.reports, verdict=in_words)
        )
    return outcome


def _for_one(
    agent: Agent, goal: Implementing, stage: Stage, spent: Spent, last: bool
) -> int | None:
    """What one tryout may take: half of what is left, so that a repair can be tried out too, but
    not less than an episode."""
    left = spent.left
    if left is None or last:
        return left
    episode, _ = longest_tryout(agent, goal, stage)
    return min(left, max(left // 2, episode))
