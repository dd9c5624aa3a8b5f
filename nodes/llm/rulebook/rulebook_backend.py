"""The rulebook as a backend: answers typed questions from rules and a stock of programs.

It is no language model: it does not read the prompt, and what no rule covers it does not answer.
The same question always gets the same answer.
"""

from typing import Any

import msgspec

from messages.chat import (
    ChatMessage,
    DecomposeAnswer,
    DecomposeQuestion,
    GoalAnswer,
    GoalQuestion,
    GuardAnswer,
    GuardQuestion,
    JudgeAnswer,
    JudgeQuestion,
    MacroDraft,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
    TriedNote,
    game_of,
)
from messages.plan import Method
from messages.world import DEFAULT_GAME
from models.outcomes import Ending, failures, outcome_in_words, succeeded
from nodes.common.checks.rule_file import BOOK, GuardRule, Spec
from nodes.llm.backend import BackendError, Completion
from nodes.llm.rulebook import filled_specs, rules
from nodes.llm.rulebook.next_decomposition import choice_after
from nodes.llm.rulebook.proposed_guards import proposed_guards
from nodes.llm.rulebook.rules import Book
from worlds import card
from worlds.card import Unclear, Unreachable
from worlds.common.mineclip_feature import MINECLIP


class RulebookBackend:
    """``book``: the rule file, by its name; ``game``: the game that it has to be of; ``guards_by``:
    the method that guards are proposed by first.

    Raises:
        ValueError: there is no such file.
    """

    varies = False

    def __init__(
        self, book: str = BOOK, game: str = DEFAULT_GAME, guards_by: Method | None = None
    ) -> None:
        try:
            _ = Book(game, book).rules
        except rules.NoRule as error:
            raise ValueError(f"The rulebook cannot be read: {error}.") from None
        self._book = book
        self._guards_by: Method | None = guards_by
        variant = "" if book == BOOK else f", {book}"
        self.model = f"rulebook (no language model{variant})"

    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        try:
            answer = self._answer(question)
        except rules.NoRule as error:
            raise BackendError(str(error), permanent=True) from None
        text = msgspec.json.encode(answer).decode()
        return Completion(text, version=Book(game_of(question), self._book).version)

    def _answer(self, question: Question) -> msgspec.Struct:
        if isinstance(question, GoalQuestion):
            return goal(question)
        if isinstance(question, PlanQuestion):
            return plan(question)
        if isinstance(question, DecomposeQuestion):
            return decompose(question, self._book, self._guards_by)
        if isinstance(question, ProgramQuestion):
            return program(question, self._book)
        if isinstance(question, GuardQuestion):
            return guard(question, self._book)
        if isinstance(question, SpecQuestion):
            return spec(question, self._book)
        if isinstance(question, JudgeQuestion):
            return judge(question, self._book)
        raise rules.NoRule("the rulebook looks at no pictures")


def goal(question: GoalQuestion) -> GoalAnswer:
    """What the words of a goal ask for, where the rules of the game understand them."""
    goals = card(question.task.game).goals
    if goals is None:
        raise rules.NoRule(f"{question.task.game} understands no goals in words")
    try:
        success = goals.understood(question.task.prompt)
    except Unclear as reason:
        raise rules.NoRule(str(reason)) from None
    return GoalAnswer(thoughts="The words are those of a condition.", success=success)


def plan(question: PlanQuestion) -> PlanAnswer:
    """What the goal needs by the rules, in order, nothing superfluous."""
    try:
        planning = card(question.task.game).planning
        success = question.task.success
        if wrong := planning.wrong_start(question.task, success):
            raise Unreachable(wrong)
        inventory = planning.begun(
            msgspec.structs.replace(question.task, inventory=question.inventory)
        )
        subtasks = planning.plan_for(success, inventory)
        sums = "" if question.quantities else planning.sums(success, inventory)
    except Unreachable as reason:
        raise rules.NoRule(f"there is no plan: {reason}") from None
    return PlanAnswer(thoughts=sums, subtasks=subtasks)


def decompose(
    question: DecomposeQuestion, book: str = BOOK, guards_by: Method | None = None
) -> DecomposeAnswer:
    """The cheapest decomposition that the verdicts so far leave open."""
    goal = question.subtask.success
    alone = question.task.success == goal
    known = Book(question.task.game, book).approach(goal, question.task.inventory, alone)
    known = rules.open_to(known, question.methods, question.most_sub_actions)
    choice = choice_after(known, question.history)
    failures = [
        f"{line.sub_action.name} ({line.sub_action.method}): {line.verdict.reason}"
        for line in (question.history[-1].lines if question.history else [])
        if not line.verdict.success
    ]
    sub_actions = choice.sub_actions(goal)
    return DecomposeAnswer(
        thoughts=" ".join(failures) or "The cheapest way comes first.",
        sub_actions=sub_actions,
        guards=proposed_guards(
            Book(question.task.game, book),
            known,
            {each.method for each in sub_actions},
            question,
            guards_by,
        ),
    )


def guard(question: GuardQuestion, book: str = BOOK) -> GuardAnswer:
    """The guard of the stock that has the proposal's name."""
    rulebook = Book(question.task.game, book)
    rule = rulebook.guard(question.proposal.name)
    goal, inventory = question.task.success, question.task.inventory
    learned = question.proposal.method == "rl"
    condition = (rule.learned_when if learned else "") or f"{rule.file}_when.py"
    return GuardAnswer(
        thoughts=f"From the stock: {rule.file}.",
        when=rulebook.guard_source(condition, goal, inventory),
        source=rulebook.guard_source(f"{rule.file}.py", goal, inventory)
        if question.proposal.method == "code"
        else "",
        max_steps=rule.max_steps,
    )


def program(question: ProgramQuestion, book: str = BOOK) -> ProgramAnswer:
    """The next program of the stock; the last one again when there is no other. One that lost most
    of what an evaluation lost comes last."""
    goal = question.task.success
    step, alone = _step(question, book)
    stock = step.programs
    if not stock:
        raise rules.NoRule(f"the rulebook has no program for {question.sub_action.name!r}")
    rulebook = Book(question.task.game, book)
    inventory = question.task.inventory
    sources = {file: rulebook.program(file, goal, inventory, alone) for file in stock}
    weak = {each.program.source for each in question.tried if each.weakest and each.program}
    order = sorted(stock, key=lambda file: sources[file] in weak)
    file = order[min(len(question.attempts), len(order) - 1)]
    return ProgramAnswer(thoughts=f"From the stock: {file}.", source=sources[file])


def spec(question: SpecQuestion, book: str = BOOK) -> SpecAnswer:
    """The spec after as many as have failed; macros only where they are allowed."""
    rulebook = Book(question.task.game, book)
    if question.guard is None:
        rule, stock = None, _step(question, book)[0].specs
    else:
        rule = rulebook.guard(question.guard.name)
        stock = [rule.spec] if rule.spec else []
    if not stock:
        raise rules.NoRule(f"the rulebook has no training spec for {question.sub_action.name!r}")
    number = min(_failed_specs(question), len(stock) - 1)
    goal, inventory = question.task.success, question.task.inventory
    chosen = filled_specs.spec(stock[number], goal, inventory, rulebook)
    macros = _stock_macros(question, rulebook, rule, chosen)
    own = [each for each in question.programs if each.success == question.sub_action.success]
    tried = _tried_macros(question, own, chosen)
    best = max(own, key=lambda each: each.rate, default=None)
    cloned = chosen.clone and question.programs_to_clone and best is not None and best.rate > 0
    sees = MINECLIP.name in question.observations  # else its weights are not there
    left_out = set[str]() if sees else {MINECLIP.name}
    if not tried:
        left_out.add("under_way")  # of no macro that is interrupted
    return SpecAnswer(
        thoughts=_thoughts(bool(macros), bool(tried), bool(cloned)),
        observations=[name for name in chosen.observations if name not in left_out],
        actions=chosen.actions,
        macros=[*macros, *tried],
        rewards=[
            msgspec.structs.replace(term, name=question.task.prompt)
            if term.kind == "mineclip" and not term.name
            else term
            for term in chosen.rewards
            if sees or term.kind != "mineclip"
        ],
        horizon=chosen.horizon,
        targets=chosen.targets,
        budget=chosen.budget,
        clone=[best.name] if cloned and best is not None else [],
        memory=chosen.memory,
        memory_size=chosen.memory_size,
    )


def _failed_specs(question: SpecQuestion) -> int:
    """How many specs have failed for the sub-action."""
    return sum(
        line.sub_action.name == question.sub_action.name
        and line.sub_action.method == "rl"
        and not line.verdict.success
        for line in question.history
    )


def _stock_macros(
    question: SpecQuestion, rulebook: Book, rule: GuardRule | None, chosen: Spec
) -> list[MacroDraft]:
    """The programs of the stock that join the actions; for a guard its own among them."""
    if not question.macros_allowed:
        return []
    macros = [
        MacroDraft(
            name=macro.name,
            source=rulebook.program(macro.file, question.task.success, question.task.inventory),
            purpose=macro.purpose,
            max_steps=macro.max_steps,
        )
        for macro in chosen.macros
    ]
    if rule is not None and chosen.programs != "none":
        macros += _guards_own(rulebook, rule, question, chosen.interrupt)
    return macros


def _tried_macros(question: SpecQuestion, own: list[TriedNote], chosen: Spec) -> list[MacroDraft]:
    """The programs that were tried and join the actions: all, or the sub-action's ``own``."""
    if not question.programs_as_macros:
        return []
    offered = {"none": [], "own": own, "all": question.programs}[chosen.programs]
    return [
        MacroDraft(
            name=each.name,
            source="",  # is known by its name
            purpose=f"was tried for {each.sub_action}, "
            + (f"{each.rate:.2f} of {each.episodes} episodes" if each.episodes else "not judged"),
            max_steps=chosen.horizon,
            interrupt=chosen.interrupt,
        )
        for each in offered
    ]


def _guards_own(
    rulebook: Book, rule: GuardRule, question: SpecQuestion, steps: int
) -> list[MacroDraft]:
    """The program that the stock has for a guard, if it has one, as a macro of its policy."""
    goal, inventory = question.task.success, question.task.inventory
    if "code" not in rule.methods:
        return []
    return [
        MacroDraft(
            name=rule.file,
            source=rulebook.guard_source(f"{rule.file}.py", goal, inventory),
            purpose=rule.description,
            max_steps=steps,  # it ends there, as macros of guards are not interrupted
        )
    ]


def _thoughts(macros: bool, programs: bool, cloned: bool) -> str:
    thoughts = "Coded actions join the primitive ones." if macros else "Primitive actions only."
    if programs:
        thoughts = "The programs that were tried join the actions, and may be interrupted."
    return f"{thoughts} The policy begins as a clone of the best program." if cloned else thoughts


def judge(question: JudgeQuestion, book: str = BOOK) -> JudgeAnswer:
    """What was counted, and the first advice of the rules that fits it."""
    evidence = question.evidence
    ends = failures(evidence)
    most = ends[0] if ends else Ending(how="")
    seen = {
        "success": succeeded(evidence, question.success_rate),
        "ending": most.how,
        "method": evidence.method,
        "macros": bool(evidence.macros),
    }
    advice = Book(evidence.game, book).rules.advice
    fits = next(each for each in advice if each.when.items() <= seen.items())
    return JudgeAnswer(
        success=seen["success"],
        reason=outcome_in_words(evidence),
        suggestion=fits.say.format(line=most.line),
    )


def _step(question: ProgramQuestion | SpecQuestion, book: str) -> tuple[rules.Step, bool]:
    """The step of the rules that the sub-action was made from: by name, what comes before and how
    it is to be done. Two approaches may have steps of one name. With it, whether it is a step of
    whole goals alone."""
    before = [stage.sub_action.name for stage in question.before]
    rulebook = Book(question.task.game, book)
    success, inventory = question.task.success, question.task.inventory
    named = [
        (step, alone, [each.name for each in split[:at]])
        for alone in (True, False)
        for split in rulebook.approach(success, inventory, alone).splits
        for at, step in enumerate(split)
        if step.name == question.sub_action.name
    ]
    found = [(step, alone) for step, alone, earlier in named if earlier == before]
    # What was left out is missing among what comes before.
    found = found or [(step, alone) for step, alone, earlier in named if {*before} <= {*earlier}]
    if not found:
        raise rules.NoRule(f"the rulebook knows no sub-action {question.sub_action.name!r} here")
    method = question.sub_action.method
    step, _ = next((each for each in found if method in each[0].methods), found[0])
    return step, all(alone for _, alone in found)
