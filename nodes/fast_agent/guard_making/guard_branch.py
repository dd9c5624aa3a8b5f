"""The guard branch: write a guard's condition and its program, or have its policy trained.

How good it is shows in the tryouts of the sub-actions that it interrupts.
"""

from messages.bus import GoalHandle
from messages.chat import GuardAnswer, GuardAttempt, GuardQuestion
from messages.plan import GuardLine, GuardMade, MakeGuard, Working
from messages.program import CHECK, CheckProgram, Problem, Program
from messages.world import Guard
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer, ask
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.guard_making.guard_check import why_not_played
from nodes.fast_agent.guard_making.guard_training import TrainedGuard, train_guard
from nodes.fast_agent.implementing import SpentSteps
from nodes.fast_agent.known_skills.skill_use import GuardFound, Skills

GuardGoal = GoalHandle[MakeGuard, Working]

MOST_STEPS = 1000
"""The most steps of one turn of a guard."""


def make_guard(agent: Agent, goal: GuardGoal, skills: Skills) -> GuardMade:
    """A guard of the library of that name that can be played; else by code the first of at most
    ``1 + repairs`` that may run, by rl what is trained with the first condition that may."""
    proposal = goal.request.proposal
    looked_up = skills.look_up_guards(goal)
    if looked_up.guard is not None and _can_be_played(agent, goal, looked_up):
        line = GuardLine(proposal=proposal, made=True, attempts=0, skill=looked_up.name)
        return GuardMade(guard=looked_up.guard, line=line)
    written, attempts, reason = _write(agent, goal, looked_up)
    spent = SpentSteps(limit=goal.request.samples)
    made = TrainedGuard(written, reason)
    if written is not None and proposal.method == "rl":
        made = train_guard(agent, goal, written, spent)
    line = GuardLine(
        proposal=proposal,
        made=made.guard is not None,
        attempts=attempts,
        reason="" if made.guard is not None else made.reason,
        spec=made.spec,
        learning=made.learning,
        tried=made.tried,
    )
    return GuardMade(guard=made.guard, line=line, samples=spent.samples(), reports=spent.guards)


def _can_be_played(agent: Agent, goal: GuardGoal, looked_up: GuardFound) -> bool:
    """Whether sessions of today play the library's guard: it may be of another version, whose
    features had other sizes or whose language was another. All stages would fail by it."""
    assert looked_up.guard is not None
    wrong = why_not_played(agent, f"{goal.id}/skill", goal.request.task, looked_up.guard)
    if wrong:
        agent.log.warning(
            "%s: the skill %s cannot be played, and a guard is written in its place: %s",
            goal.id,
            looked_up.name,
            wrong,
        )
    return not wrong


def _write(agent: Agent, goal: GuardGoal, looked_up: GuardFound) -> tuple[Guard | None, int, str]:
    """The guard, without its policy if it is to have one; how many were written; why there is
    none."""
    request, proposal = goal.request, goal.request.proposal
    attempts: list[GuardAttempt] = []
    reason = ""
    # After a restart the same guards come again, however many may be written by then.
    repairs = agent.memory.first(f"{goal.id}/guard/repairs", agent.parameters.repairs)
    for number in range(1 + repairs):
        goal.check()
        agent.working(goal, f"writing guard {number} for {proposal.name!r}")
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
