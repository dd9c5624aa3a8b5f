"""What is wrong with a training spec, in sentences that the language model can act on."""

import math
from collections.abc import Collection

import msgspec

from messages.chat import MacroDraft, SpecAnswer, SpecQuestion
from messages.world import DEFAULT_GAME, REWARDS, RewardTerm
from worlds import card
from worlds.card import Specs
from worlds.common.mineclip_feature import MINECLIP
from worlds.common.pictures import picture_shape

MOST_WEIGHT = 1e6
"""Rewards are summed in 32 bits over an episode: what is larger would come out as infinite."""
LEAST_WEIGHT = 1e-6
"""Rewards are scaled so that the largest weight of a spec is 1, by a factor that 32 bits hold."""
MOST_STEPS = 1_000_000
MOST_REMEMBERED = 512
MOST_PROMPTS = 100
_NAMELESS = REWARDS.keys() - {"mineclip"}


def spec_problems(
    answer: SpecAnswer,
    observations: Collection[str],
    actions: Collection[str],
    macros_allowed: bool,
    most_samples: int,
    game: str = DEFAULT_GAME,
    to_clone: Collection[str] = (),
) -> list[str]:
    """Every problem at once, the macros' sources apart (the env server checks those).

    ``observations``, ``actions``: the names there are. ``most_samples``: the largest budget.
    ``to_clone``: the programs that a policy may begin as a clone of.
    """
    specs = card(game).specs
    problems: list[str] = []
    problems += _unknown_observations(answer.observations, observations)
    problems += _unknown_actions(answer.actions, actions, specs)
    if answer.macros and not macros_allowed:
        problems.append("Macros are not allowed in this run: leave `macros` empty.")
    taken = set(actions)
    for macro in answer.macros:
        problems += macro_problems(macro, taken)
        taken.add(macro.name)
    if not answer.rewards:
        problems.append("There is no reward: at least one term is needed.")
    elif not any(term.weight for term in answer.rewards):
        problems.append("All rewards weigh 0, so nothing can be learned: give one a weight.")
    for term in answer.rewards:
        problems += _term_problems(term, specs, observations)
    wrong_targets = [specs.target_problem(name) for name in answer.targets]
    problems += [f"Targets: {wrong}." for wrong in wrong_targets if wrong]
    if not 1 <= answer.horizon <= MOST_STEPS:
        problems.append(
            f"The horizon is {answer.horizon}; it must be at least 1 step, at most {MOST_STEPS}."
        )
    problems += _clones(answer.clone, to_clone)
    if not 1 <= answer.memory_size <= MOST_REMEMBERED:
        problems.append(
            f"A memory of {answer.memory_size} numbers cannot be had; give memory_size of 1 to "
            f"{MOST_REMEMBERED}."
        )
    if not 1 <= answer.budget <= most_samples:
        problems.append(f"The budget is {answer.budget}; it must be 1 to {most_samples} samples.")
    return problems


def weight_problem(weight: float) -> str:
    """What is wrong with a reward's weight, as the end of a sentence; empty if nothing is."""
    if weight == 0 or LEAST_WEIGHT <= abs(weight) <= MOST_WEIGHT:
        return ""
    if math.isfinite(weight) and abs(weight) < LEAST_WEIGHT:
        return f"{weight:g}; it is 0, or at least {LEAST_WEIGHT:g} either way"
    return f"not a finite number of at most {MOST_WEIGHT:g} either way"


def picture_problems(observations: Collection[str]) -> list[str]:
    """What is wrong with the observations of a guard's policy, which a session plays without the
    network that a picture needs."""
    return [
        f"A learned guard sees no pictures: leave {name!r} out of its observations."
        for name in observations
        if picture_shape(name) is not None
    ]


def macro_problems(macro: MacroDraft, taken: Collection[str]) -> list[str]:
    """What is wrong with a macro but for its source. ``taken``: names that it cannot have."""
    problems: list[str] = []
    if not macro.name.isidentifier():
        problems.append(f"Macro name {macro.name!r} is no identifier.")
    if macro.name in taken:
        problems.append(f"Macro name {macro.name!r} is taken.")
    if not 1 <= macro.max_steps <= MOST_STEPS:
        problems.append(
            f"Macro {macro.name!r} needs max_steps of at least 1, and {MOST_STEPS} at most."
        )
    if macro.interrupt is not None and not 1 <= macro.interrupt <= MOST_STEPS:
        problems.append(
            f"Macro {macro.name!r} is interrupted after {macro.interrupt} steps; give at least "
            "1, or null for one that runs to its end."
        )
    return problems


def without_idle_parts(answer: SpecAnswer) -> SpecAnswer:
    """The spec with each name once in its list, as it means no more twice, and without scraps where
    a reward term takes no source: small models go on and on. A function there is a mistake that the
    model is told."""
    lists = ("observations", "actions", "targets", "clone")
    once = {name: list(dict.fromkeys(getattr(answer, name))) for name in lists}
    rewards = [
        term
        if term.kind == "code" or "def " in term.source
        else msgspec.structs.replace(term, source="")
        for term in answer.rewards
    ]
    return msgspec.structs.replace(answer, rewards=rewards, **once)


def clonable(question: SpecQuestion) -> list[str]:
    """The programs that a policy may begin as a clone of."""
    return [note.name for note in question.programs if question.programs_to_clone]


def _clones(chosen: list[str], known: Collection[str]) -> list[str]:
    there = f"choose from {', '.join(known)}" if known else "leave `clone` empty"
    return [
        f"There is no program {name!r} to clone: {there}." for name in chosen if name not in known
    ]


def _term_problems(term: RewardTerm, specs: Specs, observations: Collection[str]) -> list[str]:
    problems: list[str] = []
    if wrong := weight_problem(term.weight):
        problems.append(f"The weight of reward term {term.kind!r} is {wrong}.")
    nameless = term.kind in _NAMELESS or term.kind in specs.nameless
    if not nameless and not term.name:
        problems.append(f"Reward term {term.kind!r} needs a name.")
    elif term.kind == "mineclip":
        problems += _prompts(term, observations)
    elif not nameless and (wrong := specs.reward_problem(term)):
        problems.append(f"Reward term {term.kind!r}: {wrong}.")
    if (term.kind == "code") != bool(term.source):
        problems.append("`source` is given for reward terms of kind 'code', and for no other.")
    if term.negatives and term.kind != "mineclip":
        problems.append("`negatives` are given for reward terms of kind 'mineclip' only.")
    return problems


def _prompts(term: RewardTerm, observations: Collection[str]) -> list[str]:
    """What is wrong with a term of MineCLIP's; its weights are there where its observation is."""
    if MINECLIP.name not in observations:
        return ["There is no reward term 'mineclip' in this run: it has no weights of MineCLIP."]
    if len(term.negatives) > MOST_PROMPTS:
        return [f"Reward term 'mineclip': at most {MOST_PROMPTS} negatives are given."]
    if len({term.name, *term.negatives}) <= len(term.negatives):
        return ["Reward term 'mineclip': its prompts differ from each other; one is given twice."]
    return []


def _unknown_observations(chosen: list[str], known: Collection[str]) -> list[str]:
    problems = [
        f"There is no observation called {name!r}: choose from {', '.join(sorted(known))}."
        for name in chosen
        if name not in known and picture_shape(name) is None
    ]
    return problems or ([] if chosen else ["There is no observation: choose at least one."])


def _unknown_actions(chosen: list[str], known: Collection[str], specs: Specs) -> list[str]:
    problems = [specs.action_problem(name) for name in chosen if name not in known]
    if not chosen:
        return ["There is no action: choose at least one."]
    return [problem for problem in problems if problem]
