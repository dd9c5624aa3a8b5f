"""The slow agent node: splits a subtask into sub-actions and learns from how they went."""

import msgspec

from messages.bounds import NotNegative, Positive
from messages.chat import DecomposeAnswer, DecomposeQuestion
from messages.plan import (
    ACHIEVE,
    ITERATIONS,
    Further,
    Iteration,
    Limits,
    Method,
    SubAction,
    SubtaskReport,
)
from nodes.common.checks.decomposition_check import (
    about_its_own,
    fixed,
    problems_with,
    up_to_success,
)
from nodes.common.goals.budget import BUDGETS, Budgeted, for_practice, least, least_again
from nodes.common.questions.asking import NoAnswer, ask, prompt_of
from nodes.common.questions.copied_example import copied_subject, only_in_example, reworded
from nodes.common.questions.repairing import ask_with_repairs
from nodes.common.storage.node_memory import Memory
from nodes.node import Node
from nodes.slow_agent.iterating import Achieving, Iterating, begin, has_begun, iteration_id
from nodes.slow_agent.stopping import (
    chosen,
    further,
    reached,
    reached_in_words,
    spent,
    stop_reason,
)


class _Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """The loop has stopped, and this policy is trained further."""

    reason: str
    more: Further


class SlowAgent(Node):
    """Splits a subtask into sub-actions, decides for each between code and rl, and tries again with
    the verdicts: the outer loop."""

    name = "slow_agent"

    class Parameters(Budgeted, kw_only=True, forbid_unknown_fields=True):
        repairs: NotNegative = 3  # how often an invalid decomposition is requested again
        methods: tuple[Method, ...] = ("code", "rl")  # that sub-actions may be implemented by
        most_sub_actions: Positive | None = None  # 1: nothing is split
        most_guards: NotNegative = 6  # 0: nothing interrupts a sub-action
        # Is the best policy so far trained further, in one more iteration, where the loop stops
        # short of the rate and samples are left?
        further: bool = True

    parameters: Parameters
    live = frozenset({"repairs", *BUDGETS})

    def setup(self) -> None:
        self.memory = Memory(self.folder / "memory.sqlite")
        self.advertise(ITERATIONS)
        self.serve_action(ACHIEVE, self.achieve)

    def achieve(self, goal: Achieving) -> SubtaskReport:
        iterations = list(goal.request.history)
        known = len(iterations)
        reason, limits, more = self._iterate_until_stopped(goal, iterations)
        self.log.info("%s: %s", goal.id, reason)
        if more is None:
            more = self._to_train_further(goal, iterations, limits, reason)
        if more is not None:
            last = self._train_further(goal, more, iterations)
            reason = _with_further(reason, last, chosen(iterations, limits), limits)
            self._add(goal, iterations, last)
            self.log.info("%s: %s", goal.id, reason)
        best = chosen(iterations, limits)
        return SubtaskReport(
            iterations=iterations[known:],
            success=best is not None and reached(best, limits),
            reason=reason,
            chosen=best and best.number,
        )

    def _iterate_until_stopped(
        self, goal: Achieving, iterations: list[Iteration]
    ) -> tuple[str, Limits, Further | None]:
        """Add iterations until there is a reason to stop. Returns that, the limits by then, and
        what had begun to be trained further before a restart."""
        task, known = goal.request.task, len(iterations)
        enough = least(task), least_again(task, self.config)
        while True:
            goal.check()
            number, limits = len(iterations), self._limits(goal)
            id = iteration_id(goal, number)
            # What was begun before a restart is ended, whatever is allowed by now.
            if (stopped := self.memory.find(f"{id}/further", _Stopped)) is not None:
                return stopped.reason, limits, stopped.more
            reason = stop_reason(iterations, limits, *enough, known)
            if reason is not None and not has_begun(self.memory, id):
                return reason, limits, None
            begin(self.memory, id)  # its question is part of it
            try:
                decomposition, problems = self._decompose(goal, number, iterations)
            except NoAnswer as error:
                return f"There is no decomposition: {error}", limits, None
            if problems:
                return f"No valid decomposition was given: {' '.join(problems)}", limits, None
            self._add(goal, iterations, self._iterate(goal, decomposition, iterations))

    def _add(self, goal: Achieving, iterations: list[Iteration], iteration: Iteration) -> None:
        iterations.append(iteration)
        self.publish(ITERATIONS, iteration)
        goal.feedback(iteration)

    def _to_train_further(
        self, goal: Achieving, iterations: list[Iteration], limits: Limits, reason: str
    ) -> Further | None:
        """What is trained further after the loop has stopped for this reason, if anything is.
        Remembered, so that after a restart it goes on with that, whatever was set or can be asked
        by then."""
        if not self.parameters.further:
            return None
        request = goal.request
        again = least_again(request.task, self.config) + request.reserve
        more = further(iterations, limits, again, len(request.history))
        if more is not None:
            name = f"{iteration_id(goal, len(iterations))}/further"
            self.memory.keep(name, _Stopped(reason=reason, more=more))
        return more

    def _limits(self, goal: Achieving) -> Limits:
        return self.parameters.limits(goal.request.limits)

    def _decompose(
        self, goal: Achieving, number: int, history: list[Iteration]
    ) -> tuple[DecomposeAnswer, list[str]]:
        """The sub-actions and guards, and what is still wrong with them after the last repair, when
        they are taken `fixed` if that leaves nothing wrong."""

        def ask_and_check(
            question: DecomposeQuestion, id: str
        ) -> tuple[DecomposeAnswer, list[str]]:
            answer = ask(self, id, question, DecomposeAnswer)
            problems = problems_with(question, answer)
            problems += [_is_copied(each) for each in copied(answer)]
            problems += [_is_worded_as(*each) for each in worded_as_example(answer)]
            if problems:
                self.log.info("%s: the decomposition is invalid: %s", goal.id, " ".join(problems))
            return answer, problems

        question = DecomposeQuestion(
            task=msgspec.structs.replace(goal.request.task, inventory=goal.request.start),
            subtask=goal.request.subtask,
            history=history,
            performed=goal.request.performed,
            methods=self.parameters.methods,
            most_sub_actions=self.parameters.most_sub_actions,
            most_guards=self.parameters.most_guards,
        )

        prompt = prompt_of(self, question)

        def copied(answer: DecomposeAnswer) -> list[SubAction]:
            steps = answer.sub_actions[:-1]
            return [each for each in steps if only_in_example(prompt, each.success.name)]

        def worded_as_example(answer: DecomposeAnswer) -> list[tuple[SubAction, str]]:
            about_others = copied(answer)
            own = [each for each in answer.sub_actions if each not in about_others]
            subjects = [
                copied_subject(prompt, each.description) or copied_subject(prompt, each.name)
                for each in own
            ]
            return [(step, subject) for step, subject in zip(own, subjects, strict=True) if subject]

        def what_is_usable(answer: DecomposeAnswer) -> tuple[DecomposeAnswer, list[str]]:
            about = about_its_own(question, answer, copied(answer))
            subjects = dict(worded_as_example(answer))
            steps = [_in_its_own_words(each, subjects.get(each, "")) for each in about.sub_actions]
            usable = fixed(question, msgspec.structs.replace(about, sub_actions=steps))
            problems = problems_with(question, usable)
            if not problems:
                names = ", ".join(repr(each.name) for each in usable.sub_actions)
                self.log.warning("%s: of the sub-actions these are taken: %s", goal.id, names)
            return usable, problems

        answer, problems = ask_with_repairs(
            self.memory,
            f"{iteration_id(goal, number)}/decompose",
            question,
            self.parameters.repairs,
            ask_and_check,
            lambda answer: answer.sub_actions,
            what_is_usable,
        )
        if problems:
            return answer, problems
        return up_to_success(question, answer), []

    def _iterate(
        self, goal: Achieving, decomposition: DecomposeAnswer, history: list[Iteration]
    ) -> Iteration:
        if (finished := self._finished(goal, history)) is not None:
            return finished
        iterating = Iterating(self, self.memory, goal, history)
        iterating.make_guards(decomposition)
        left, practice = self._left(goal, history)
        whole = iterating.implement(decomposition, practice)
        if whole:
            iterating.make_guards(decomposition, practice)
        return iterating.end(left if whole else None)

    def _train_further(self, goal: Achieving, more: Further, history: list[Iteration]) -> Iteration:
        """One more iteration, for which nothing is asked."""
        if (finished := self._finished(goal, history)) is not None:
            return finished
        iterating = Iterating(self, self.memory, goal, history)
        left, practice = self._left(goal, history, goal.request.reserve)
        made = iterating.train_further(more, practice)
        return iterating.end(left if made else None, further=True)

    def _finished(self, goal: Achieving, history: list[Iteration]) -> Iteration | None:
        """The iteration after these, if it has ended: before a restart."""
        return self.memory.find(iteration_id(goal, len(history)), Iteration)

    def _left(self, goal: Achieving, history: list[Iteration], reserve: int = 0) -> tuple[int, int]:
        """Primitive steps that a next iteration may take, and those of them for practice."""
        samples = self._limits(goal).samples - reserve
        left = samples - spent(history[len(goal.request.history) :])
        return left, for_practice(left, goal.request.task, self.config)


def _is_copied(step: SubAction) -> str:
    return (
        f"{step.name!r} is about {step.success.name!r}, which is in the example alone: that is "
        "about something else than this subtask. Leave it out, or name what this subtask is about."
    )


def _is_worded_as(step: SubAction, subject: str) -> str:
    return (
        f"{step.name!r} has the words of the example, which is about {subject!r}: name and "
        "describe what this subtask needs."
    )


def _in_its_own_words(step: SubAction, subject: str) -> SubAction:
    """The sub-action with what it is about in the place of the example's ``subject``, which the
    agent that writes its program would look for."""
    if not (subject and step.success.name):
        return step
    name, description = (
        reworded(text, subject, step.success.name) for text in (step.name, step.description)
    )
    return msgspec.structs.replace(step, name=name, description=description)


def _with_further(reason: str, last: Iteration, before: Iteration | None, limits: Limits) -> str:
    """Why the loop stopped; its ``last`` iteration trained the policy of ``before`` further."""
    if reached(last, limits):
        return f"{reason} Then its policy was trained further. {reached_in_words(last, limits)}"
    if not last.episodes:
        return f"{reason} Its policy could not be trained further: {last.lines[-1].verdict.reason}"
    rate = 0.0 if before is None else before.tried_out
    return (
        f"{reason} Then its policy was trained further: success in tryouts went from {rate:.2f} to "
        f"{last.tried_out:.2f}."
    )
