"""Numbers, conditions and model-written text in words, for the page and the table."""

from messages.plan import Iteration, Line, Subtask
from messages.training import Learning, Trained
from messages.world import JUDGED, Condition, RewardTerm, Task
from nodes.common.running.plain_text import plain
from worlds import GameError, card

LONGEST = 1e10
"""Seconds that a time span can be: 300 years."""


def shortened(text: str, length: int) -> str:
    """One line of at most ``length`` characters, cut between words where that is possible."""
    text = " ".join(plain(text).split())
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    head = cut.rpartition(" ")[0]
    return (head if len(head) > length // 2 else cut).rstrip(" ,;:.") + "…"


def count(number: int) -> str:
    """A count for reading: 950, 12.3k, 1.24M."""
    if number < 1_000:
        return str(number)
    if number < 999_500:
        return f"{number / 1_000:.3g}k" if number < 100_000 else f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.3g}M"


def duration(seconds: float) -> str:
    """A time span for reading: 8.2 s, 3 min 20 s, 1 h 05 min."""
    if not abs(seconds) < LONGEST:  # from a damaged file; infinity cannot be rounded
        return "an unknown time"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def condition(value: Condition, game: str) -> str:
    """``3 more log in the inventory``"""
    if not value.kind:  # UNSAID; a launch file's is of another type, and equals no message
        return "not decided yet: the planner makes it of the prompt"
    try:
        return card(game).conditions.short(value)
    except GameError:  # a run is looked at where its game is not installed
        return f"{value.kind} {value.quantity} {value.name}"


def start(task: Task) -> str:
    """How a task's episodes begin: ``biome: forest; inventory: 2 log``."""
    try:
        known = dict(card(task.game).setting(task))
    except GameError:
        known = {}
    held = ", ".join(f"{quantity} {name}" for name, quantity in task.inventory.items())
    known["Inventory"] = held or "empty"
    return "; ".join(f"{name.lower()}: {value}" for name, value in known.items())


def reward(term: RewardTerm, game: str) -> tuple[str, str]:
    """A reward term as (weight, what it is paid for)."""
    paid_for = {
        "success": "once, on success",
        "step": "every primitive step",
        "mineclip": f"every step that looks like {term.name!r} to MineCLIP",
        "code": f"what this code pays: {' '.join(term.source.split())}",
    }.get(term.kind)
    if paid_for is None:
        try:
            paid_for = card(game).specs.reward_words(term)
        except GameError:
            paid_for = f"{term.kind} {term.name}"
    return f"{term.weight:+g}", paid_for


def decomposition(iteration: Iteration) -> str:
    """``find a tree: code; harvest log: rl + attack_20``"""
    guards = [f"guard {line.proposal.name}: {line.proposal.method}" for line in iteration.guards]
    parts = [_implemented(line, iteration.program_did_better(line)) for line in iteration.lines]
    if iteration.further:
        parts[-1] += " (trained further)"
    return "; ".join([*parts, *guards])


def _implemented(line: Line, program: bool) -> str:
    kept = " (the program is kept)" if program else ""
    return " + ".join([f"{line.sub_action.name}: {line.sub_action.method}{kept}", *line.macros])


def learned_in_words(learning: Learning) -> list[str]:
    """Sentences about a training: what it started from, how it went and which weights it ended
    with."""
    said = [
        f"{each.program} succeeded in {each.successes} of {each.episodes} demonstrations; "
        f"{each.decisions:,} of {each.steps:,} decisions in them are the policy's own"
        for each in learning.demonstrated
    ]
    if learning.clone_kl:
        said.append(
            f"held to what was cloned by a weight of {learning.clone_kl:g}, which fades over "
            f"{count(learning.clone_fade)} samples"
        )
    said.append(f"{count(learning.samples)} samples; it ended because {plain(learning.stopped)}")
    if learning.tryouts:
        rates = ", ".join(f"{rate:.2f} at {count(at)}" for at, rate in learning.tryouts)
        said.append(f"tryouts meanwhile: {rates}")
    if learning.best is not None:
        said.append(f"its weights are those after {count(learning.best)} samples")
    return said


def successes(iteration: Iteration) -> int:
    """How many of the iteration's evaluation episodes succeeded."""
    return round(iteration.success_rate * iteration.episodes)


def evaluated_in_words(
    iteration: Iteration, task: Task | None, form: str = "{} of {} episodes"
) -> str:
    """What the rate of an iteration is of; where pictures decide, no episodes are counted."""
    if task is not None and task.success.kind == JUDGED:
        return "judged from pictures"
    return form.format(successes(iteration), iteration.episodes)


def cut_short(cut: bool) -> str:
    """What is printed behind the episodes of an evaluation or a performance."""
    return ", cut: the samples were not enough for more" if cut else ""


def trained_in_words(trained: Trained) -> str:
    """``success rate 0.93 of the recent training episodes after 12.3k samples: stop_at reached``"""
    spent = f"{count(trained.samples + trained.prefix_samples)} samples"
    if trained.prefix_samples:  # the budget, and the line of progress, are without them
        spent += f" ({count(trained.prefix_samples)} of them in resets, outside its budget)"
    rate = f"{trained.success_rate:.2f} of the recent training episodes"
    return f"Success rate {rate} after {spent}: {plain(trained.reason)}"


def explaining_line(iteration: Iteration) -> Line | None:
    """The line that explains the iteration: its first failure, or its last line."""
    failed = [line for line in iteration.lines if not line.verdict.success]
    return (failed or iteration.lines[-1:] or [None])[0]


def subtask_names(subtasks: list[Subtask], iterations: list[Iteration]) -> list[str]:
    """Names of the subtasks in the order of the plan; what the plan no longer holds comes last."""
    names = [subtask.name for subtask in subtasks]
    names += [iteration.subtask for iteration in iterations]
    return list(dict.fromkeys(names))
