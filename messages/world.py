"""The world conversation: agents and the learner talk to the env server.

A *session* is a batch of environments that play one task side by side. The learner steps it with
choices (a primitive action or a macro each), the fast agent runs programs in it.
"""

from typing import Literal

import msgspec

from messages.array import Array
from messages.interface import UNHURRIED, Action, Service, Topic
from messages.program import Program, ProgramReport


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be seen to hold through MineDojo's interface alone.

    ``have``: at least ``quantity`` more of item ``name`` in the inventory than when the episode
    began, for a stage of a goal that is performed than when its subtask began (registry name,
    ``log``). ``near``: a block called ``name`` within the 3x3x3 voxels
    around the feet or within reach of the crosshair (localised name, ``wood``). ``facing``: the
    block, or mob, under the crosshair, within reach, is called ``name``. ``nearby``: a
    ``crafting_table`` or ``furnace`` that was put down stands near enough to work at (MineDojo's
    nearby tools).
    """

    kind: Literal["have", "near", "facing", "nearby"]
    name: str
    quantity: int = 1


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be achieved, and where an episode starts."""

    id: str
    prompt: str
    success: Condition
    biome: str = "forest"
    inventory: dict[str, int] = {}
    horizon: int = 1000  # primitive steps in one evaluation episode
    world: dict[str, str | int | float | bool] = {}  # further make() arguments of the world


class RewardTerm(msgspec.Struct, frozen=True, kw_only=True):
    """One term of a training reward, paid at each primitive step.

    ``success``: once, when the spec's success condition holds. ``step``: always (a negative weight
    is a cost of time). ``gain``: per item ``name`` beyond the most that the episode ever had.
    ``approach``: per metre by which a seen block, or mob, called ``name`` is nearer than any was
    before in the episode. ``facing``: while the crosshair is on one called ``name`` within reach.
    ``code``: what the function ``reward(before, after)`` of ``source`` returns, from the
    observations before and after the step; it cannot act. ``mineclip``: how much likelier than by
    chance the last 16 frames go with the prompt ``name`` than with those of ``negatives`` (none:
    31 that are given); where there are MineCLIP's weights.
    """

    kind: Literal["success", "step", "gain", "approach", "facing", "code", "mineclip"]
    weight: float
    name: str = ""
    source: str = ""
    negatives: list[str] = []


class SeedRange(msgspec.Struct, frozen=True, kw_only=True):
    """Seeds ``first .. first + count - 1``. Environment i of B plays them in the order
    i, i + B, i + 2B, ... (modulo ``count``), so which episode gets which seed never depends on
    timing."""

    first: int
    count: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a person would note down of one observation; what the critic judges from."""

    position: tuple[float, float, float]  # metres x, y, z
    yaw: float  # degrees
    pitch: float  # degrees, + is down
    life: float  # 0..20
    food: float  # 0..20
    inventory: dict[str, int]  # item name (registry form, "log") -> quantity
    facing: str  # mob, else block under the crosshair within reach, "air" if none
    around: dict[str, int]  # localised block name -> how many of the 3x3x3 voxels
    stations: list[str] = []  # crafting_table, furnace: MineDojo's nearby tools


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """How one episode went, as far as it has gone."""

    environment: int
    seed: int
    success: bool
    steps: int  # primitive steps
    reward: float
    ended: Literal["running", "success", "horizon", "death"]
    before: View
    after: View


class Pictures(msgspec.Struct, frozen=True, kw_only=True):
    """Pictures that a session takes of what its first ``environments`` players see: when a stage
    begins, along the way and when it is over, ``each`` of every one. Of stages that follow each
    other those of the last are kept. What resets run beforehand is not pictured."""

    environments: int = 6
    each: int = 4  # 2 or more: before and after are always among them
    height: int = 224  # pixels
    width: int = 352


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What the player of one environment saw."""

    environment: int
    step: int  # primitive steps since the stage began
    png: bytes  # the whole file


class Interface(msgspec.Struct, frozen=True, kw_only=True):
    """How a policy meets a session: what it sees, may do, is paid for, and when its stage is over
    (``success`` holds, or ``horizon`` primitive steps were spent)."""

    observations: list[str]  # features, by the names in models/features
    actions: list[str]  # primitive actions, by the names in models/actions
    macros: list[Program] = []  # coded actions added to the action space
    rewards: list[RewardTerm] = []
    success: Condition
    horizon: int  # primitive steps, prefix not counted
    targets: list[str] = []  # localised names of blocks, and mobs, that the features mark
    gamma: float = 1.0  # discount inside a macro
    autocraft: bool = False  # what leads to ``success`` is crafted for the policy, a step each


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """A stage that resets play before the one that is trained: a program, or a policy by the
    interface that it was trained with; its choices come from whoever steps the session."""

    program: Program | None = None
    interface: Interface | None = None


MOST_ENVIRONMENTS = 1024
"""What one session may have, unless the env server is told otherwise."""


class OpenSession(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Make a batch of environments and reset it. ``session`` is named by the caller; opening it
    again under the same name replaces it.

    Without ``autoreset`` (evaluation) an episode is over when the *task's* success or horizon is
    reached or the player dies; stages follow each other in it. With ``autoreset`` (training) the
    stage of the interface is the episode, and the step that ended one starts the next. Its resets
    may have policies to play (``lead``): after a step or an opening that says so, the next steps
    are theirs, until one says otherwise (``Stepped.lead``).
    """

    session: str
    task: Task
    size: int  # environments side by side
    seeds: SeedRange
    prefix: list[Program] = []  # coded actions run inside reset, in order
    lead: list[Lead] = []  # with autoreset: stages that resets play after the prefix
    interface: Interface | None = None
    autoreset: bool = False
    record: bool = False  # film environment 0
    pictures: Pictures | None = None  # not with autoreset
    # What its episodes are kept as: those of a later session of the same play take their place.
    play: str = ""  # empty: the session's name


class TakeInterface(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A new stage begins in an open session: another policy plays on from where it stands."""

    session: str
    interface: Interface
    environments: list[int] = []  # rows that play on, the others stand still; none: all
    begins: bool = False  # a subtask begins here: `have` of stages counts from now on in them


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A run of columns of the feature matrix."""

    name: str
    size: int


class Opened(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The session as a policy meets it. Without an interface there are no fields and choices."""

    fields: list[Field]
    choices: list[str]  # names: primitive actions, then macros
    features: Array  # float32 (size, sum of field sizes)
    mask: Array  # bool (size, len(choices)), never all False in a row
    prefix_steps: int  # primitive steps spent by the prefix
    lead: int = -1  # see Stepped


class Step(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One decision for every environment whose stage is not over; a macro runs to its end in it.
    While a policy leads on, for those that it plays in: choices for the others are not looked at.
    """

    session: str
    choices: Array  # int64 (size,)


class Stepped(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What came of one decision. After a macro of k steps, ``reward`` is the sum of
    gamma^i r_i for i < k and ``steps`` is k. With autoreset, rows of finished episodes hold the
    next episode's first features; the last ones of the old episode are in ``final_features``."""

    features: Array  # float32 (size, F)
    mask: Array  # bool (size, len(choices))
    reward: Array  # float32 (size,)
    steps: Array  # int64 (size,), 0 where the stage was already over
    terminated: Array  # bool (size,): the stage's success, or death
    truncated: Array  # bool (size,): the stage's or the task's horizon
    success: Array  # bool (size,): the stage's success
    final_rows: Array  # int64 (n,): environments whose episode ended in this step
    final_features: Array  # float32 (n, F)
    final_returns: Array  # float32 (n,): undiscounted episode returns
    final_lengths: Array  # int64 (n,): primitive steps of the ended episodes
    prefix_steps: int  # primitive steps spent by prefixes, and what leads on, in resets
    # Which of OpenSession.lead's policies the next step is for: features and mask are its own, and
    # so are the choices to be sent; -1: it is the trained one's turn.
    lead: int = -1


class SessionName(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    session: str


class Closed(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A session's last word: one episode per environment, and the film if it was recorded."""

    episodes: list[Episode]
    video: str | None = None  # path relative to the run folder
    pictures: list[Picture] = []  # by environment, in the order they were taken


class Looked(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """How the episodes of a session stand."""

    episodes: list[Episode]


class RunProgram(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Run one program to its end in every environment of a session whose episode is not over.
    The result of a goal is remembered; the session it ran in is not: after a restart of the env
    server it is unknown, and the caller plays its episodes again from the start."""

    session: str
    program: Program
    environments: list[int] = []  # rows that run it, the others stand still; none: all
    begins: bool = False  # a subtask begins here, see TakeInterface


class ProgramRan(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    steps: int  # primitive steps, all environments together
    reports: list[ProgramReport]  # grouped by (status, line), the most frequent first
    episodes: list[Episode]


class Activity(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """How busy the env server is, about once a second."""

    sessions: int
    environments: int
    steps: int  # primitive steps since this run began, over restarts
    steps_per_second: float


# A world may be compiled or a Minecraft be started in it; who gave up and asked again would have
# that begin anew. The env server has limits of its own for what a session's worker may take.
OPEN = Service("env_server/open", OpenSession, Opened, idempotent=True, timeout=UNHURRIED)
INTERFACE = Service(
    "env_server/interface", TakeInterface, Opened, idempotent=True, timeout=UNHURRIED
)
STEP = Service("env_server/step", Step, Stepped, timeout=UNHURRIED)
LOOK = Service("env_server/look", SessionName, Looked, idempotent=True, timeout=UNHURRIED)
CLOSE = Service("env_server/close", SessionName, Closed, timeout=UNHURRIED)
RUN_PROGRAM = Action("env_server/run_program", RunProgram, Activity, ProgramRan)
ACTIVITY = Topic("env_server/activity", Activity, latched=True)
