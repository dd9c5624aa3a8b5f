"""The plan conversation: a goal goes down from the planner to the slow agent to the fast agent.

Goal -> subtasks with quantities (planner) -> sub-actions, each code or rl (slow agent) ->
implementations (fast agent). What comes back up is one verdict line per sub-action.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from messages.bounds import NotNegative, Positive, Share
from messages.interface import Action, Topic
from messages.program import Program, ProgramReport
from messages.training import Learning, Policy, TrainingSpec
from messages.verdict import Verdict
from messages.world import Condition, Episode, Guard, GuardReport, Task

Method = Literal["code", "rl"]


class Subtask(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan."""

    name: str
    success: Condition
    why: str = ""


class SubAction(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a subtask's decomposition, in words, with the method to implement it."""

    name: str
    method: Method
    success: Condition
    description: str = ""


class GuardProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A guard in words: it takes over from any sub-action of a decomposition while its condition
    holds; with the method to implement it."""

    name: str
    method: Method = "code"
    when: str  # when it takes over
    description: str = ""  # what it does then


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """An implemented sub-action: a program, or a policy with the spec that it was trained on;
    ``guards`` interrupt it."""

    sub_action: SubAction
    program: Program | None = None
    policy: Policy | None = None
    spec: TrainingSpec | None = None
    guards: list[Guard] = []
    # It came to nothing and is not played: what follows begins in its place.
    left_out: bool = False


def to_play(stages: Iterable[Stage]) -> list[Stage]:
    """Those that are not left out."""
    return [stage for stage in stages if not stage.left_out]


class Samples(msgspec.Struct, frozen=True, kw_only=True):
    """Primitive environment steps, by what they were spent on."""

    training: int = 0
    trial: int = 0  # programs tried out in the inner loop
    evaluation: int = 0

    @property
    def total(self) -> int:
        return self.training + self.trial + self.evaluation


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict line: the outcome of one sub-action in one iteration."""

    sub_action: SubAction
    attempts: int
    verdict: Verdict
    macros: list[str] = []  # names of the coded actions in the policy's action space
    skill: str = ""  # the skill of the library that was used, if one was
    # Of a policy that was trained, also if the program was chosen: see
    # `Iteration.program_did_better`.
    learning: Learning | None = None
    # In its tryout all episodes were over after it, so that nothing can follow.
    none_left: bool = False


class Unseen(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an evaluation, on starts that nothing was tried or trained on."""

    episodes: int
    worked: int
    # Of each stage: in how many its condition held when it was over; None where it is left out.
    held: list[int | None] = []
    lost: list[int] = []  # of each stage: how many of those that failed were lost in it
    endings: list[str] = []  # of those that failed, in words, the most frequent first
    failed: list[Episode] = []  # some of them

    @property
    def weakest(self) -> int | None:
        """The stage in which most of the episodes were lost; on a tie, the later one."""
        if not any(self.lost):
            return None
        return max(range(len(self.lost)), key=lambda place: (self.lost[place], place))


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """What a performance lost at one subtask."""

    success: Condition  # the subtask's
    episodes: int  # of the whole performance
    lost: int  # of them, those that ended at this subtask
    reasons: dict[str, int] = {}  # why, in words -> how many
    shown: list[Episode] = []  # some of them


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier implementation of a sub-action, or of one with the same aim."""

    iteration: int
    line: Line
    program: Program | None = None
    spec: TrainingSpec | None = None
    unseen: Unseen | None = None  # of the evaluation that it took part in
    weakest: bool = False  # most of the episodes that the evaluation lost were lost in it


class StagesTried(msgspec.Struct, frozen=True, kw_only=True):
    """How often a tryout of all stages reached their aim, and how much of it they reached on
    average."""

    success_rate: Share
    progress: Share


class GuardTried(msgspec.Struct, frozen=True, kw_only=True):
    """The stages of an iteration with a learned guard and without it, on the same starts."""

    episodes: Positive  # of each of the two
    with_guard: StagesTried
    without: StagesTried


class GuardLine(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one guard in one iteration. ``report``: what it did in the iteration's tryouts
    and its evaluation."""

    proposal: GuardProposal
    made: bool
    attempts: int
    reason: str = ""  # why it was not made
    report: GuardReport | None = None  # None: it was not made, or never played with
    skill: str = ""  # the skill of the library that was used, if one was
    # Of a guard by rl: what its policy was to be trained on, and how that went.
    spec: TrainingSpec | None = None
    learning: Learning | None = None
    tried: GuardTried | None = None  # None: it was not compared


class Iteration(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One turn of the outer loop: a row of the result table.

    ``further``: no decomposition was asked for. It has the stages of an earlier iteration, the last
    of which is a policy that was trained further."""

    subtask: str
    number: int
    lines: list[Line]
    stages: list[Stage]
    success_rate: float  # over `episodes` episodes on unseen seeds
    episodes: int
    samples: Samples
    seconds: float
    video: str | None = None  # path relative to the run folder
    left: dict[str, int] = {}  # the usual inventory at the end of its successful episodes
    cut: bool = False  # the samples were not enough for all episodes of its evaluation
    unseen: Unseen | None = None  # the outcome of its evaluation
    guards: list[GuardLine] = []
    further: bool = False

    def stage_of(self, line: Line) -> Stage | None:
        """What implements a line's sub-action, if anything does."""
        names = (stage for stage in self.stages if stage.sub_action.name == line.sub_action.name)
        return next(names, None)

    def program_did_better(self, line: Line) -> bool:
        """Whether a sub-action was to be learned, and a program did better than the policy."""
        stage = self.stage_of(line)
        return line.sub_action.method == "rl" and stage is not None and stage.program is not None

    @property
    def tried_out(self) -> float:
        """Success rate of its stages' last tryout."""
        return self._last_tryout().success_rate

    @property
    def progress(self) -> float:
        """How much of its aim that tryout brought about, 0 to 1."""
        return self._last_tryout().progress

    @property
    def tryout_episodes(self) -> int:
        """Episodes of that tryout; 0: there was none, or nothing was counted in it."""
        compared = self._last_compared()
        if compared is not None and compared.tried is not None:
            return compared.tried.episodes
        return self.lines[-1].verdict.episodes if self.lines else 0

    def _last_tryout(self) -> StagesTried:
        """The one with the learned guards that stand, else that of the last sub-action, which plays
        all stages before it."""
        compared = self._last_compared()
        if compared is not None and compared.tried is not None:
            return compared.tried.with_guard if compared.made else compared.tried.without
        if not self.lines:
            return StagesTried(success_rate=0.0, progress=0.0)
        verdict = self.lines[-1].verdict
        return StagesTried(success_rate=verdict.success_rate, progress=verdict.progress)

    def _last_compared(self) -> GuardLine | None:
        """Learned guards are compared one after the other, each beside those that were kept before
        it."""
        return next((line for line in reversed(self.guards) if line.tried is not None), None)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """When the outer loop stops."""

    iterations: Positive = 4  # of each subtask, those that train a policy `further` not counted
    success_rate: Share = 0.9
    # Primitive steps of the whole goal: trainings, tryouts, evaluations and the performance.
    samples: Positive = 3_000_000
    goal_rate: Share | None = None  # of the performance of a whole plan; None: success_rate

    @property
    def rate_of_goal(self) -> float:
        """The rate that the performance of a whole plan is to reach."""
        return self.success_rate if self.goal_rate is None else self.goal_rate


class PursueGoal(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    task: Task
    limits: Limits


class PlanStatus(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The plan, and how far it is carried out."""

    goal: str
    subtasks: list[Subtask]
    current: int  # index; len(subtasks) when all are done


class Practised(msgspec.Struct, frozen=True, kw_only=True):
    """A subtask and the stages that implement it."""

    subtask: Subtask
    stages: list[Stage]


class PerformedEpisode(msgspec.Struct, frozen=True, kw_only=True):
    """How one episode of a performance went."""

    environment: int
    seed: int
    success: bool
    steps: int  # primitive steps
    ended: Literal["success", "horizon", "death", "gave_up"]
    subtask: str = ""  # the one that it ended in; empty when the goal was reached
    reason: str = ""  # why it was given up
    gained: list[str] = []  # of what the plan brings, what the player had at some time
    # The condition of the subtask that lost it: ``subtask``, or the one before where ``subtask`` is
    # none that was practised.
    stood_at: Condition | None = None
    came_to: Episode | None = None  # how one that failed stood in the end


class Performed(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The performance of a goal from its own start, with all its subtasks."""

    success_rate: float
    episodes: list[PerformedEpisode]
    # What the plan brings (an item, a place), in its order, and the goal -> episodes that had it.
    milestones: dict[str, int]
    steps: int  # primitive steps, all episodes together
    video: str | None = None  # path relative to the run folder
    cut: bool = False  # the samples were not enough for all episodes
    guards: list[GuardReport] = []  # what the guards of its stages did


class GoalReport(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    task: Task
    subtasks: list[Subtask]
    iterations: list[Iteration]
    success: bool
    reason: str
    performance: Performed | None = None  # of a plan of several subtasks
    stopped: dict[str, str] = {}  # subtask -> why its outer loop stopped
    chosen: dict[str, int] = {}  # subtask -> number of the iteration that stands for it
    validations: list[Performed] = []  # performances before, which decided what was performed


class AchieveSubtask(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``start``: the inventory that the plan expects when the subtask begins; its episodes begin
    with it. With ``history`` it was practised before and a performance lost episodes at it: the
    loop goes on with at least one more iteration, and ``limits.samples`` are for the new ones."""

    task: Task
    subtask: Subtask
    start: dict[str, int] = {}
    limits: Limits
    history: list[Iteration] = []
    performed: Lost | None = None
    reserve: NotNegative = 0  # of ``limits.samples``, those that training further leaves


class SubtaskReport(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    iterations: list[Iteration]  # those of the history not among them
    success: bool
    reason: str  # why the outer loop stopped
    chosen: int | None = None  # number of the iteration that stands; None: nothing was implemented


class Further(msgspec.Struct, frozen=True, kw_only=True):
    """A policy that is to be trained further, by its stage, and how its training went."""

    stage: Stage
    learning: Learning


class Implement(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Implement one sub-action, given the stages before it and its results in earlier
    iterations."""

    task: Task
    sub_action: SubAction
    before: list[Stage]
    # Earlier verdicts on this sub-action, or on one with the same aim under another name, oldest
    # first, and what was implemented then.
    history: list[Line]
    tried: list[Tried] = []
    earlier: Stage | None = None  # did it after other stages: tried out before anything is asked
    further: Further | None = None  # train this on; nothing is asked or tried before
    performed: Lost | None = None  # what a performance lost at the subtask
    samples: int | None = None  # primitive steps that it may take in all; None: any
    guards: list[Guard] = []  # that interrupt the sub-action; those before it have their own


class Working(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The current activity of an agent, in words."""

    activity: str


class Implemented(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    stage: Stage | None  # None: no program or policy that could run was made
    line: Line
    samples: Samples
    guards: list[GuardReport] = []  # what guards did in its tryouts


class MakeGuard(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Implement one guard of a decomposition: by code before its sub-actions are implemented, by rl
    after that, for it is trained in the ``stages`` that they came to."""

    task: Task
    proposal: GuardProposal
    sub_actions: list[SubAction]  # that it is to interrupt
    history: list[GuardLine] = []  # its outcomes in earlier iterations, oldest first
    stages: list[Stage] = []  # with the guards that were made before it
    place: NotNegative = 0  # among their guards, of which the first whose condition holds plays
    samples: int | None = None  # primitive steps that it may take in all; None: any


class GuardMade(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    guard: Guard | None  # None: nothing that could run was made
    line: GuardLine
    samples: Samples = Samples()
    reports: list[GuardReport] = []  # what the guards did in its tryouts


class Evaluate(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Play the stages one after another in episodes on unseen seeds."""

    task: Task
    stages: list[Stage]
    record: bool = True
    samples: int | None = None  # primitive steps that it may take; None: any


class Evaluated(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    success_rate: float
    episodes: list[Episode]
    steps: int  # primitive steps, all episodes together
    video: str | None = None
    cut: bool = False  # the samples were not enough for all of its episodes
    reports: list[ProgramReport] = []  # of every stage that is a program
    held: list[int | None] = []  # these two as in `Unseen`
    lost: list[int] = []
    guards: list[GuardReport] = []


class Perform(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Play the whole goal on unseen seeds: after every subtask the rest is planned again from each
    episode's own inventory."""

    task: Task
    subtasks: list[Practised]
    record: bool = True
    samples: int | None = None  # primitive steps that it may take; None: any
    # Of the goal's validations, from 0, which are all played on the same seeds; None: the last
    # performance, whose seeds nothing was chosen by.
    validation: NotNegative | None = None


PURSUE = Action("planner/pursue", PursueGoal, PlanStatus, GoalReport)
ACHIEVE = Action("slow_agent/achieve", AchieveSubtask, Iteration, SubtaskReport)
IMPLEMENT = Action("fast_agent/implement", Implement, Working, Implemented)
MAKE_GUARD = Action("fast_agent/make_guard", MakeGuard, Working, GuardMade)
EVALUATE = Action("fast_agent/evaluate", Evaluate, Working, Evaluated)
PERFORM = Action("fast_agent/perform", Perform, Working, Performed)

PLAN = Topic("planner/plan", PlanStatus, latched=True)
ITERATIONS = Topic("slow_agent/iteration", Iteration, latched=True)
WORKING = Topic("fast_agent/working", Working, latched=True)
