"""The training conversation: the fast agent calls the reinforcement-learning pipeline as a tool.

A training spec is the call: the policy's observations, actions and rewards, where its episodes
start and how many samples it may take. The learner trains a policy on it and plays policies in
sessions.
"""

import msgspec

from messages.bounds import Positive
from messages.interface import LIMITED_BY_SERVER, Action, Service, Topic
from messages.program import Program
from messages.world import Actor, ChoiceUse, Guard, Interface, SeedRange, Task


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A trained policy, by the id of the goal that trained it, or a copy in the skill library."""

    id: str
    checkpoint: str  # path relative to the run folder; absolute in the skill library


class LeadingStage(msgspec.Struct, frozen=True, kw_only=True):
    """A stage that is played before the trained one: a program or an earlier policy."""

    program: Program | None = None
    policy: Policy | None = None


class Tryouts(msgspec.Struct, frozen=True, kw_only=True):
    """The tryouts of a policy while it is trained: its stage from the start, always on the same
    seeds, before it learns and then again and again. The training ends with the weights that did
    best, and early where they do worse than before it learned."""

    seeds: SeedRange  # one for each episode
    # Samples from one tryout to the next, at least; and at least twice the steps that one took.
    every: Positive = 50_000
    grown: bool = False  # only once the budget has grown, from where it was spent first


class Demonstrated(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy was given to imitate of one program."""

    program: str
    episodes: int
    successes: int
    decisions: int  # of the successful episodes, that the policy could have taken itself
    steps: int  # decisions that there were in them


class TrainingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the fast agent writes so that a sub-action is learned."""

    name: str
    task: Task
    interface: Interface
    prefix: list[Program] = []
    # Stages that resets play after the prefix, from the first policy on: the trained stage begins
    # where these end.
    lead: list[LeadingStage] = []
    seeds: SeedRange
    # Primitive samples to learn from, those of prefix and lead not counted. The last decision may
    # overrun it: of one macro or action in each environment.
    budget: int
    # Where the success rate still rises as the budget is spent, the budget is doubled, to so many
    # samples at most; None: never.
    grows_to: int | None = None
    stop_at: float = 1.0  # success rate of recent training episodes that ends training early
    # Primitive steps at most, those of prefix and lead counted, whatever they take; None: any.
    most: int | None = None
    give_up_at: int | None = None  # samples within which an episode must succeed; None: any
    start: Policy | None = None  # whose weights training begins from; its samples are not counted
    # Programs whose successful episodes the policy imitates before it learns: as whole decisions
    # where one is a macro of the interface, else step by step.
    clone: list[Program] = []
    # Where the policy is tried out while it learns; None: nowhere.
    tryouts: Tryouts | None = None
    guards: list[Guard] = []  # that interrupt it, also prefix and lead, or what is guarded
    # A guard that is trained, by its condition and its max_steps; ``interface`` is its policy's.
    # Episodes are its turns; ``guarded`` is what it interrupts, whose samples count as a prefix's.
    guard: Guard | None = None
    guarded: list[LeadingStage] = []


class Train(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    spec: TrainingSpec


class Progress(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One PPO iteration."""

    policy: str
    samples: int  # primitive steps that trained the policy so far
    prefix_samples: int  # primitive steps that prefix and lead spent in resets so far
    decisions: int  # choices of the policy so far (a macro is one)
    budget: int
    success_rate: float  # of the recent training episodes
    mean_return: float
    entropy: float
    kl: float
    steps_per_second: float


class Trained(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    policy: Policy
    samples: int
    prefix_samples: int
    success_rate: float
    curve: list[tuple[int, float]]  # (samples, success rate of the recent training episodes)
    returns: list[tuple[int, float]] = []  # (samples, mean return of those episodes), likewise
    reason: str  # why training stopped
    demonstrated: list[Demonstrated] = []  # in the order of the spec's `clone`
    tryouts: list[tuple[int, float]] = []  # (samples, success rate) of the spec's `tryouts`
    best: int | None = None  # samples after which it had the weights that it ends with; None: all
    # The weight of the divergence from the clone at first, and the samples over which it fades; 0
    # where nothing was cloned.
    clone_kl: float = 0.0
    clone_fade: int = 0


class Learning(msgspec.Struct, frozen=True, kw_only=True):
    """How a training went, and what the policy did in its tryout, for those who judge it or write
    the next spec."""

    samples: int
    curve: list[tuple[int, float]]  # a few points of `Trained.curve`, first and last among them
    returns: list[tuple[int, float]] = []  # the same of `Trained.returns`
    stopped: str  # why it ended
    choices: list[ChoiceUse] = []
    mistakes: dict[str, int] = {}  # of rewards that are code, in words -> how often
    # What it started from and how it was held to that, and its tryouts: see `Trained`.
    demonstrated: list[Demonstrated] = []
    clone_kl: float = 0.0
    clone_fade: int = 0
    tryouts: list[tuple[int, float]] = []
    best: int | None = None


class Act(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Let a policy play in a session, through the interface that it was trained with, until its
    stage is over in every environment."""

    session: str
    policy: Policy
    environments: list[int] = []  # rows that it plays in, the others wait; none: all
    begins: bool = False  # a subtask begins here, see TakeInterface
    seed: int | None = None  # of the choices that are drawn; None: made from the session's name
    guards: list[Guard] = []  # that interrupt the policy


class GetActor(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What does a session need to play this policy itself?"""

    policy: Policy


class GotActor(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    actor: Actor


class Acted(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The episodes themselves are in the reply to closing the session."""

    steps: int  # primitive steps, all environments together
    late: list[int] = []  # environments in which the interface's horizon ended the stage


ACTOR = Service("learner/actor", GetActor, GotActor, idempotent=True, timeout=LIMITED_BY_SERVER)
TRAIN = Action("learner/train", Train, Progress, Trained)
ACT = Action("learner/act", Act, Progress, Acted)
PROGRESS = Topic("learner/progress", Progress, latched=True)
