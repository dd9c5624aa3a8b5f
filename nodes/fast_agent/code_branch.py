"""The code branch: write a program, check it, try it, ask the critic for a verdict, repair it."""

import ast

import msgspec

from messages.chat import ProgramAnswer, ProgramAttempt, ProgramQuestion
from messages.plan import Stage
from messages.program import CHECK, CheckProgram, Problem, Program
from models.outcomes import held_late
from nodes.common.goals.goal_ids import slug
from nodes.common.questions.asking import NoAnswer, ask, prompt_of
from nodes.common.questions.copied_example import only_in_example
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.judging import failed
from nodes.fast_agent.known_skills.inlining import clashes, with_skills
from nodes.fast_agent.known_skills.skill_lookup import LookedUp
from nodes.fast_agent.playing.portions import OutOfSamples
from nodes.fast_agent.rivals import compare, rival_of
from nodes.fast_agent.tried_programs import TriedPrograms
from worlds import card


def implement_by_code(
    work: SubActionWork, tried: TriedPrograms, looked_up: LookedUp
) -> BestAttempt:
    """Implement a sub-action by code: at most ``1 + repairs`` programs are tried out; the best of
    them is the implementation. Programs that the check rejects do not count as tries, up to
    ``refusals`` of them. Programs may call the skills that were looked up. What is tried out is
    remembered among the ``tried``.

    A program that did the same after other stages is tried out first, beside those; where it
    succeeds, nothing is asked. Where all fall short, and one of an earlier iteration had done
    better, that one is tried out on the same starts, and kept instead where it does better."""
    return _CodeBranch(work, tried, looked_up).implement()


class _CodeBranch:
    """The programs that are written for one goal, one after the other."""

    def __init__(self, work: SubActionWork, tried: TriedPrograms, looked_up: LookedUp) -> None:
        self._work = work
        self._agent = work.agent
        self._goal = work.goal
        self._tried = tried
        self._looked_up = looked_up
        self._outcome = BestAttempt()
        self._attempts: list[ProgramAttempt] = []  # as the next question shows them
        self._best: int | None = None  # which of them
        self._best_tryout: int | None = None
        self._tried_out: set[str] = set()  # their sources, with those of their skills
        self._tries = self._refused = 0
        self._rival = rival_of(work, tried.of(work.goal))

    def implement(self) -> BestAttempt:
        if self._try_earlier():
            return self._outcome
        while True:
            repairs, refusals = self._allowed()
            left = repairs - self._tries
            if left < 0 or self._refused > refusals:
                break
            self._goal.check()
            source = self._write(left)
            if source is None:
                break
            program = self._take(source)
            if problems := self._problems(program, source) or self._copied(source):
                self._refuse(source, problems)
            else:
                self._tries += 1
                if self._try_out(program, source, last=left == 0):
                    break
        self._compare()
        return self._outcome

    def _compare(self) -> None:
        """Where the best program fell short of what an earlier one had done, see whether that does
        better here."""
        best, rival = self._outcome, self._rival
        if rival is None or best.verdict.success or rival.program.source in self._tried_out:
            return
        if best.stage is None or best.verdict.success_rate < rival.rate:
            compare(self._work, rival, best, self._best_tryout)

    def _allowed(self) -> tuple[int, int]:
        """Repairs and refusals, as they are set when the next program is due. They may be set while
        it is written, and after a restart the same programs come again, which is to end alike."""
        parameters = self._agent.parameters
        name = f"{self._goal.id}/program-{self._outcome.attempts}/allowed"
        return self._agent.memory.first(name, (parameters.repairs, parameters.refusals))

    def _try_earlier(self) -> bool:
        """Try out what did it after other stages; whether that ends the branch."""
        earlier = self._goal.request.earlier
        if earlier is None or earlier.program is None:
            return False
        program = earlier.program
        self._agent.save(f"{self._goal.id}/program-{self._outcome.attempts}", program)
        self._outcome.attempts += 1
        return self._try_out(program, program.source, last=False)

    def _write(self, left: int) -> str | None:
        """The source of the next program. None: there is no answer, or no new idea."""
        number = self._outcome.attempts
        self._work.report(f"writing program {number} for {self._work.request.sub_action.name!r}")
        try:
            id = f"{self._goal.id}/program-{number}"
            answer = ask(self._agent, id, self._question(left), ProgramAnswer)
        except NoAnswer as error:
            self._failed(str(error))
            return None
        repeated = self._earlier(answer.source)
        if repeated is not None and not repeated.problems:
            return None  # the same program again: there is no new idea to try
        return answer.source

    def _question(self, left: int) -> ProgramQuestion:
        request = self._work.request
        return ProgramQuestion(
            task=request.task,
            sub_action=request.sub_action,
            before=request.before,
            attempts=self._attempts,
            history=request.history,
            skills=self._looked_up.notes,
            tried=request.tried,
            performed=request.performed,
            best=self._best,
            left=left,
        )

    def _earlier(self, source: str) -> ProgramAttempt | None:
        return next((each for each in self._attempts if each.source == source), None)

    def _take(self, source: str) -> Program:
        """The program of this source, counted and kept as a file."""
        request, sub_action = self._goal.request, self._goal.request.sub_action
        program = Program(
            name=slug(sub_action.name),
            source=with_skills(source, self._looked_up.sources),
            purpose=sub_action.description or sub_action.name,
            max_steps=self._agent.parameters.program_steps or request.task.horizon,
        )
        self._agent.save(f"{self._goal.id}/program-{self._outcome.attempts}", program)
        self._outcome.attempts += 1
        return program

    def _problems(self, program: Program, source: str) -> list[Problem]:
        problems = clashes(source, self._looked_up.sources)
        return problems + self._agent.call(CHECK, CheckProgram(program=program)).problems

    def _copied(self, source: str) -> list[Problem]:
        """The names in a program that only the prompt's example is about, where the program has
        nothing of what its own sub-action is about."""
        request = self._goal.request
        aim = request.sub_action.success
        if aim.name in source:
            return []
        # Earlier programs and verdicts may have the example's names from the example.
        first = msgspec.structs.replace(self._question(0), attempts=[], history=[], tried=[])
        prompt = prompt_of(self._agent, first)
        game = card(request.task.game)
        wanted = game.conditions.words(aim)
        return [
            Problem(
                line=line,
                message=f"{name!r} is in the example alone, which is about another sub-action; "
                f"here this has to hold in the end: {wanted}",
            )
            for line, name in _texts(source)
            if game.language.is_name(name) and only_in_example(prompt, name)
        ]

    def _refuse(self, source: str, problems: list[Problem]) -> None:
        self._refused += 1
        if self._earlier(source) is None:  # else the same question is put again
            self._attempts.append(ProgramAttempt(source=source, problems=problems))
        every = "; ".join(f"line {each.line}: {each.message}" for each in problems)
        self._failed(f"The program may not run: {every}")

    def _try_out(self, program: Program, source: str, last: bool) -> bool:
        """Try the program out; whether that ends the branch, by success or for want of samples."""
        work, number = self._work, self._outcome.attempts - 1
        sub_action = work.request.sub_action
        work.report(f"trying program {number} for {sub_action.name!r}")
        stage = Stage(sub_action=sub_action, program=program, guards=work.request.guards)
        try:
            played = work.try_out(number, stage, self._most(stage, last))
        except OutOfSamples as reason:
            self._failed(str(reason))
            return True
        verdict = work.judge(number, stage, played)
        if self._outcome.offer(stage, verdict, played):
            self._best, self._best_tryout = len(self._attempts), number
        self._tried_out.add(program.source)
        self._tried.remember(self._goal, program, verdict, played.episodes)
        if verdict.success:
            return True
        self._attempts.append(
            ProgramAttempt(
                source=source,
                reports=played.reports,
                verdict=f"{verdict.reason} {verdict.suggestion}".strip(),
                late=sum(
                    held_late(sub_action.success, each, work.request.task.game)
                    for each in played.episodes
                ),
            )
        )
        return False

    def _most(self, stage: Stage, last: bool) -> int | None:
        """What one tryout may take: half of what is left, so that a repair can be tried out too,
        but not less than an episode. The last one may take all, if no earlier one is to be compared
        with it."""
        left = self._work.spent.left
        if left is None or (last and self._rival is None):
            return left
        episode, _ = self._work.longest_tryout(stage)
        return min(left, max(left // 2, episode))

    def _failed(self, reason: str) -> None:
        """The reason is the verdict, unless a program was tried out."""
        if self._outcome.stage is None:
            self._outcome.verdict = failed(reason)


def _texts(source: str) -> list[tuple[int, str]]:
    """The texts in a program that compiles, with their lines."""
    return [
        (node.lineno, node.value)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
