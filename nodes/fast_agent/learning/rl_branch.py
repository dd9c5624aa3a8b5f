"""The rl branch: write a training spec, check it, send it to the learner, try the policy out."""

from collections.abc import Sequence

import msgspec

from messages.bus import RemoteError
from messages.chat import SpecAnswer, SpecQuestion
from messages.plan import Implement, Line
from messages.program import Program
from messages.training import LeadingStage, TrainingSpec
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.session_ends import worth_a_retry
from nodes.common.questions.asking import NoAnswer
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.judging import failed
from nodes.fast_agent.known_skills.skill_lookup import LookedUp
from nodes.fast_agent.learning.policy_stage import stage_of, try_policy
from nodes.fast_agent.learning.spec_asking import (
    ask_for_valid_spec,
    interface_of,
    observations_to_choose,
)
from nodes.fast_agent.learning.spec_checking import SpecChecker
from nodes.fast_agent.learning.spec_limits import largest_budget, limited
from nodes.fast_agent.learning.warm_starts import WarmStarts
from nodes.fast_agent.playing.portions import OutOfSamples
from nodes.fast_agent.playing.seeds import training_seeds
from nodes.fast_agent.playing.stage_playing import leading_programs
from nodes.fast_agent.rivals import compare, rival_of
from nodes.fast_agent.tried_programs import TriedProgram, TriedPrograms
from worlds import card


def implement_by_rl(
    work: SubActionWork, starts: WarmStarts, programs: TriedPrograms, looked_up: LookedUp
) -> BestAttempt:
    """One policy, trained on the first spec that passes the checks, from an earlier policy with
    the same interface where there is one. The best of the ``programs`` that were to do the same
    is kept instead where it does better.

    A policy that did the same after other stages is tried out first, beside those; where it
    succeeds, nothing is asked or trained. It is also kept where the new one does worse, or where
    there is none.

    Raises:
        OutOfSamples: too few are left for a training and its tryout.
        RemoteError, GoalCancelled: as ``Node.run_goal``.
    """
    known = _try_earlier(work)
    if known is None:
        return _by_new_policy(work, starts, programs, looked_up, work.request.history)
    if known.verdict.success:
        return known
    history = [*work.request.history, known.implemented(work).line]
    try:
        made = _by_new_policy(work, starts, programs, looked_up, history)
    except OutOfSamples as reason:
        return _kept(known, f"there is no new one: {reason}")
    except RemoteError as error:
        if worth_a_retry(error):
            raise
        return _kept(known, f"no new one could be made: {error}")
    if known.does_better_than(made):
        return _kept(known, f"a new one did no better: {made.verdict.reason}")
    return made


def _kept(known: BestAttempt, why: str) -> BestAttempt:
    """The earlier policy, with the reason why it stays."""
    known.attempts += 1
    reason = f"{known.verdict.reason} This earlier policy is kept, as {why}"
    known.verdict = msgspec.structs.replace(known.verdict, reason=reason)
    return known


def _by_new_policy(
    work: SubActionWork,
    starts: WarmStarts,
    programs: TriedPrograms,
    looked_up: LookedUp,
    history: Sequence[Line],
) -> BestAttempt:
    agent, goal = work.agent, work.goal
    tried = programs.of(goal)
    work.report(f"writing a training spec for {work.request.sub_action.name!r}")
    try:
        spec, problems = _write_spec(work, looked_up, programs, tried, history)
    except NoAnswer as error:
        spec, problems = None, [str(error)]
    outcome = BestAttempt(attempts=1)
    if spec is None:
        outcome.verdict = failed(f"No valid training spec was given: {' '.join(problems)}")
        return outcome

    if agent.parameters.warm_starts and (start := starts.find(goal, spec)) is not None:
        spec = msgspec.structs.replace(spec, start=start)
    rival = rival_of(work, tried)
    tryouts = 1 if rival is None else 2
    spec = limited(work, spec, tryouts)

    try:
        trained = work.train(spec)
    except RemoteError as error:
        if spec.start is None or error.code not in ("unknown_policy", "policy_does_not_fit"):
            raise
        # A library may be of another version. Its policy would be the start of each try to come.
        agent.log.warning("%s: it is trained from scratch: %s", goal.id, error)
        spec = msgspec.structs.replace(spec, start=None)
        spec = limited(work, spec, tryouts)
        trained = work.train(spec, "train-from-scratch")
    starts.remember(goal, spec, trained)
    try_policy(work, spec, trained, outcome)
    if rival is not None and outcome.verdict.success_rate < 1:
        compare(work, rival, outcome, tryout=0)
    return outcome


def _try_earlier(work: SubActionWork) -> BestAttempt | None:
    """The tryout of the policy that did it after other stages, by a quarter of the samples at most.
    None where there is none, or none that can be tried out."""
    agent, goal, earlier = work.agent, work.goal, work.request.earlier
    if earlier is None or earlier.policy is None or earlier.spec is None:
        return None
    work.report(f"trying the policy that was there for {work.request.sub_action.name!r}")
    stage = stage_of(work, earlier.spec, earlier.policy)
    left = work.spent.left
    try:
        played = work.try_out("earlier", stage, None if left is None else left // 4)
    except OutOfSamples as reason:
        agent.log.info("%s: the earlier policy is not tried: %s", goal.id, reason)
        return None
    except RemoteError as error:
        if error.code not in ("unknown_policy", "policy_does_not_fit"):
            raise
        agent.log.warning("%s: the earlier policy cannot be played: %s", goal.id, error)
        return None
    outcome = BestAttempt(attempts=1)
    outcome.offer(stage, work.judge("earlier", stage, played), played)
    return outcome


def _write_spec(
    work: SubActionWork,
    looked_up: LookedUp,
    programs: TriedPrograms,
    tried: Sequence[TriedProgram],
    history: Sequence[Line],
) -> tuple[TrainingSpec | None, list[str]]:
    """The spec, or None and what is still wrong with the last answer."""
    agent, request, parameters = work.agent, work.request, work.agent.parameters
    as_macros = parameters.macros and parameters.program_macros
    known = tried if as_macros or parameters.clone else []
    looked_up = looked_up.without({each.name for each in known})
    sources = dict(looked_up.sources)
    if as_macros:
        sources |= {each.name: each.program.source for each in known}
    question = SpecQuestion(
        task=request.task,
        sub_action=request.sub_action,
        before=request.before,
        history=list(history),
        observations=observations_to_choose(agent, request.task),
        actions=list(card(request.task.game).specs.actions),
        macros_allowed=parameters.macros,
        skills=looked_up.notes,
        tried=request.tried,
        performed=request.performed,
        programs=[each.note for each in known],
        programs_as_macros=as_macros,
        programs_to_clone=parameters.clone,
    )
    id = f"{work.goal.id}/spec"
    checker = SpecChecker(agent, id, question, looked_up.sources, sources)

    def keep_macros(id: str, answer: SpecAnswer) -> None:
        for macro in checker.macros(answer):
            agent.save(f"{id}/{macro.name}", macro)

    answer, problems = ask_for_valid_spec(agent, id, question, checker, keep_macros)
    if problems:
        return None, problems
    # Of a program that never succeeded there is nothing to clone.
    cloned = [each for each in known if each.name in answer.clone and each.rate > 0]
    # What runs before it, as long as it may take in a reset.
    before = [
        stage
        if stage.program is None
        else msgspec.structs.replace(stage, program=programs.as_prefix(work.goal, stage.program))
        for stage in request.before
    ]
    request = msgspec.structs.replace(request, before=before)
    return training_spec(agent, request, answer, checker.macros(answer), cloned), []


def training_spec(
    agent: Agent,
    request: Implement,
    answer: SpecAnswer,
    macros: list[Program],
    cloned: Sequence[TriedProgram] = (),
) -> TrainingSpec:
    """The spec of a policy with these ``macros``, which begins as a clone of what is ``cloned``."""
    parameters = agent.parameters
    prefix = [_short(agent, program) for program in leading_programs(request.before)]
    return TrainingSpec(
        name=slug(request.sub_action.name),
        task=request.task,
        interface=msgspec.structs.replace(
            interface_of(answer, macros, request.sub_action.success, agent.gamma),
            autocraft=parameters.autocraft,
        ),
        prefix=prefix,
        # From the first policy on it is the learner that plays what runs before.
        lead=[
            LeadingStage(
                program=stage.program and _short(agent, stage.program), policy=stage.policy
            )
            for stage in request.before[len(prefix) :]
            if stage.program is not None or stage.policy is not None
        ],
        guards=request.guards,
        seeds=training_seeds(agent.seed),
        budget=min(answer.budget, largest_budget(agent)),
        stop_at=parameters.stop_at,
        give_up_at=parameters.give_up_at,
        clone=[
            msgspec.structs.replace(_short(agent, each.program), name=each.name) for each in cloned
        ],
    )


def _short(agent: Agent, program: Program) -> Program:
    """A program as resets run it: not for as long as where it is played once."""
    steps = min(program.max_steps, agent.parameters.prefix_steps)
    return msgspec.structs.replace(program, max_steps=steps)
