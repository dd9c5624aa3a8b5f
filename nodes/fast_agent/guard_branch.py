"""The guard branch: write a guard's condition and program, have them checked, repair them.

How good it is shows in the tryouts of the sub-actions that it cuts into.
"""

from messages.bus import GoalHandle, RemoteError
from messages.chat import GuardAnswer, GuardAttempt, GuardQuestion
from messages.plan import GuardLine, GuardMade, MakeGuard, Working
from messages.program import CHECK, CheckProgram, Problem, Program
from messages.world import Guard
from nodes.asking import ask
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.skills import Skills
from nodes.naming import slug

GuardGoal = GoalHandle[MakeGuard, Working]

MOST_STEPS = 1000
"""Of one turn of a guard."""


def make_guard(agent: Agent, goal: GuardGoal, skills: Skills) -> GuardMade:
    """A guard of the library of that name, or the first of at most ``1 + repairs`` that may run."""
    request, proposal = goal.request, goal.request.proposal
    looked_up = skills.look_up_guards(goal)
    if looked_up.guard is not None:
        line = GuardLine(proposal=proposal, made=True, attempts=0, skill=looked_up.name)
        return GuardMade(guard=looked_up.guard, line=line)
    attempts: list[GuardAttempt] = []
    reason = ""
    for number in range(1 + agent.parameters.repairs):
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
        except RemoteError as error:
            if error.code != "no_answer":
                raise
            reason = reason or str(error)
            break
        name = slug(proposal.name)
        program = Program(name=name, source=answer.source, max_steps=max(1, answer.max_steps))
        guard = Guard(
            name=name,
            purpose=proposal.description or proposal.when,
            when=answer.when,
            program=program,
            max_steps=answer.max_steps,
        )
        agent.save(f"{goal.id}/guard-{number}", program)
        agent.save(f"{goal.id}/when-{number}", _condition(guard))
        attempt = _checked(agent, guard, program)
        if not (attempt.when_problems or attempt.problems or attempt.others):
            line = GuardLine(proposal=proposal, made=True, attempts=number + 1)
            return GuardMade(guard=guard, line=line)
        attempts.append(attempt)
        reason = f"It may not run: {_first(attempt)}"
    line = GuardLine(proposal=proposal, made=False, attempts=len(attempts), reason=reason)
    return GuardMade(guard=None, line=line)


def _checked(agent: Agent, guard: Guard, program: Program) -> GuardAttempt:
    others: list[str] = []
    if not 1 <= guard.max_steps <= MOST_STEPS:
        others.append(f"`max_steps` is {guard.max_steps}; it must be 1 to {MOST_STEPS}.")
    condition = CheckProgram(program=_condition(guard), kind="when")
    return GuardAttempt(
        when=guard.when,
        source=program.source,
        when_problems=agent.call(CHECK, condition).problems,
        problems=agent.call(CHECK, CheckProgram(program=program)).problems,
        others=others,
    )


def _condition(guard: Guard) -> Program:
    return Program(name=f"{guard.name}-when", source=guard.when)


def _first(attempt: GuardAttempt) -> str:
    def words(what: str, problems: list[Problem]) -> list[str]:
        return [f"{what}, line {each.line}: {each.message}" for each in problems]

    found = words("condition", attempt.when_problems) + words("program", attempt.problems)
    return (found + attempt.others)[0]
