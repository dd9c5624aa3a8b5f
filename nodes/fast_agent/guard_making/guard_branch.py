"""The guard branch: write a guard's condition and its program, or have its policy trained.

How good it is shows in the tryouts of the sub-actions that it interrupts.
"""

from messages.chat import GuardAnswer, GuardAttempt, GuardQuestion
from messages.plan import GuardLine, GuardMade
from messages.program import CHECK, CheckProgram, Problem, Program
from messages.world import Guard
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer, ask
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.guard_making.guard_check import why_not_played
from nodes.fast_agent.guard_making.guard_comparison import compare
from nodes.fast_agent.guard_making.guard_training import TrainedGuard, train_guard
from nodes.fast_agent.known_skills.skill_lookup import GuardFound, SkillLookup
from nodes.fast_agent.work import GuardWork

MOST_STEPS = 1000
"""The most steps of one turn of a guard."""


def make_guard(work: GuardWork, lookup: SkillLookup) -> GuardMade:
    """A guard of the library of that name that can be played, unless it is one by rl with which its
    stages do worse. Where there is none, by code the first of at most ``1 + repairs`` that may run,
    by rl what is trained with the first condition that may."""
    proposal = work.request.proposal
    looked_up = lookup.for_guard(work.agent, work.goal)
    known, attempts = looked_up.guard, 0
    if known is not None and not _can_be_played(work, looked_up.name, known):
        known = None
    if known is not None:
        made = _compared(work, looked_up.name, known)
    else:
        written, attempts, reason = _write(work, looked_up)
        made = TrainedGuard(written, reason)
        if written is not None and proposal.method == "rl":
            made = train_guard(work, written)
    line = GuardLine(
        proposal=proposal,
        made=made.guard is not None,
        attempts=attempts,
        reason="" if made.guard is not None else made.reason,
        skill=looked_up.name if known is not None and made.guard is not None else "",
        spec=made.spec,
        learning=made.learning,
        tried=made.tried,
    )
    spent = work.spent
    return GuardMade(guard=made.guard, line=line, samples=spent.samples(), reports=spent.guards)


def _compared(work: GuardWork, skill: str, guard: Guard) -> TrainedGuard:
    """The library's guard. One by rl is compared as a trained one is: it may have been learned for
    another goal, and no tryout comes after it."""
    if work.request.proposal.method != "rl" or not work.request.stages:
        return TrainedGuard(guard)
    compared = compare(work, guard, f"is the skill {skill} of the library")
    return TrainedGuard(None if compared.reason else guard, compared.reason, tried=compared.tried)


def _can_be_played(work: GuardWork, skill: str, guard: Guard) -> bool:
    """Whether sessions of today play the library's guard: it may be of another version, whose
    features had other sizes or whose language was another. All stages would fail by it."""
    wrong = why_not_played(work.agent, f"{work.goal.id}/skill", work.request.task, guard)
    if wrong:
        work.agent.log.warning(
            "%s: the skill %s cannot be played, and a guard is written in its place: %s",
            work.goal.id, skill, wrong,
        )  # fmt: skip
    return not wrong


def _write(work: GuardWork, looked_up: GuardFound) -> tuple[Guard | None, int, str]:
    """The guard, without its policy if it is to have one; how many were written; why there is
    none."""
    agent, goal, request, proposal = work.agent, work.goal, work.request, work.request.proposal
    attempts: list[GuardAttempt] = []
    reason = ""
    # After a restart the same guards come again, however many may be written by then.
    repairs = agent.memory.first(f"{goal.id}/guard/repairs", agent.parameters.repairs)
    for number in range(1 + repairs):
        goal.check()
        work.report(f"writing guard {number} for {proposal.name!r}")
        question = GuardQuestion(
            task=request.task,
            proposal=proposal,
            sub_actions=request.sub_actions,
            attempts=attempts,
            history=request.history,
            skills=looked_up.notes,
        )
        try:
            answer = ask(agent, f"{goal.id}/guard-{number}", question, GuardAnswer)
        except NoAnswer as error:
            reason = reason or str(error)
            break
        name = slug(proposal.name)
        program = Program(name=name, source=answer.source, max_steps=max(1, answer.max_steps))
        guard = Guard(
            name=name,
            purpose=proposal.description or proposal.when,
            when=answer.when,
            program=program if proposal.method == "code" else None,
            max_steps=answer.max_steps,
        )
        agent.save(f"{goal.id}/when-{number}", _condition(guard))
        if guard.program is not None:
            agent.save(f"{goal.id}/guard-{number}", program)
        attempt = _checked(agent, guard)
        if not (attempt.when_problems or attempt.problems or attempt.others):
            return guard, number + 1, ""
        attempts.append(attempt)
        reason = f"It may not run: {_every(attempt)}"
    return None, len(attempts), reason


def _checked(agent: Agent, guard: Guard) -> GuardAttempt:
    others: list[str] = []
    if not 1 <= guard.max_steps <= MOST_STEPS:
        others.append(f"`max_steps` is {guard.max_steps}; it must be 1 to {MOST_STEPS}.")
    condition = CheckProgram(program=_condition(guard), kind="when")
    return GuardAttempt(
        when=guard.when,
        source=guard.program.source if guard.program is not None else "",
        when_problems=agent.call(CHECK, condition).problems,
        problems=(
            agent.call(CHECK, CheckProgram(program=guard.program)).problems
            if guard.program is not None
            else []
        ),
        others=others,
    )


def _condition(guard: Guard) -> Program:
    return Program(name=f"{guard.name}-when", source=guard.when)


def _every(attempt: GuardAttempt) -> str:
    def words(what: str, problems: list[Problem]) -> list[str]:
        return [f"{what}, line {each.line}: {each.message}" for each in problems]

    found = words("condition", attempt.when_problems) + words("program", attempt.problems)
    return "; ".join(found + attempt.others)
