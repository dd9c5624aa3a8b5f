"""The world conversation: agents and the learner call the env server.

A *session* is a batch of environments that play one task side by side. The learner steps it with
choices (a primitive action or a macro each), the fast agent runs programs in it.
"""

from typing import Literal

import msgspec

from messages.array import Array
from messages.bounds import Positive
from messages.interface import LIMITED_BY_SERVER, Action, Service, Topic
from messages.program import Program, ProgramReport

DEFAULT_GAME = "minecraft"
"""The game of tasks that name none."""


Aim = tuple[str, str]


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that can be checked in a game. The game's card lists its kinds and their meanings
    (`worlds.card.Conditions.kinds`); every game has ``have``."""

    kind: str
    name: str
    quantity: int = 1

    @property
    def aim(self) -> Aim:
        """What is to be had or done, without how much of it."""
        return self.kind, self.name


JUDGED = "judged"
"""The kind of a condition that cannot be counted: a critic that sees pictures decides it."""
UNSAID = Condition(kind="", name="")
"""The success of a goal that is given in words alone: the planner derives one from its prompt."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What to achieve, and how an episode starts.

    A game's card names those of ``biome``, ``inventory`` and ``world`` that it uses
    (`Card.start`)."""

    id: str
    prompt: str
    success: Condition = UNSAID
    game: str = DEFAULT_GAME  # whose card and play it takes (worlds/)
    biome: str | None = None  # where it starts, if the game has biomes; None: the game's own choice
    inventory: dict[str, int] = {}
    horizon: int = 1000  # primitive steps in one evaluation episode
    world: dict[str, str | int | float | bool] = {}  # further make() arguments of the world

    @property
    def lacks_success(self) -> bool:
        """Whether its success has yet to be derived from its prompt."""
        return not self.success.kind


class RewardTerm(msgspec.Struct, frozen=True, kw_only=True):
    """One term of a training reward, paid at each primitive step: of a kind of `REWARDS`, which
    every game has, or of the game's own (`worlds.card.Specs.rewards`)."""

    kind: str
    weight: float
    name: str = ""
    source: str = ""
    negatives: list[str] = []


REWARDS = {
    "success": "once, when the spec's success condition holds",
    "step": "at every step (a negative weight is a cost of time)",
    "code": "what the function ``reward(before, after)`` of ``source`` returns, from the "
    "observations before and after the step; it cannot act",
    "mineclip": "by how much more than chance the last 16 frames match the prompt ``name`` rather "
    "than those of ``negatives`` (if empty, 31 fixed ones); only with MineCLIP's weights",
}
"""Each kind of reward term that every game has, and what it rewards."""


class SeedRange(msgspec.Struct, frozen=True, kw_only=True):
    """Seeds ``first .. first + count - 1``. Environment i of B plays them in the order
    i, i + B, i + 2B, ... (modulo ``count``), so which episode gets which seed never depends on
    timing. B are those of all env servers together where a batch is spread over several."""

    first: int
    count: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The main facts of one observation; the critic judges from them. All games have ``inventory``,
    with all that their conditions count; what a game has not keeps its default. Units are
    Minecraft's."""

    # Item name (registry form, "log") -> quantity; of Minecraft all 41 slots.
    inventory: dict[str, int]
    facing: str = ""  # mob, else block under the crosshair within reach, "air" if none
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres x, y, z
    life: float = 1.0  # 0..20
    food: float = 1.0  # 0..20
    yaw: float = 0.0  # degrees
    pitch: float = 0.0  # degrees, + is down
    around: dict[str, int] = {}  # localised block name -> how many of the 3x3x3 voxels
    stations: list[str] = []  # crafting_table, furnace: MineDojo's nearby tools
    killed: dict[str, int] = {}  # mob (as it is summoned) -> killed by the player in this episode
    used: dict[str, int] = {}  # item -> how often it was used in this episode
    worn: list[str] = []  # items in the slots for armour and in the off hand
    biome: str = ""
    dimension: str = ""  # overworld, nether or end
    age: int = 0  # ticks that the player has lived in this episode
    light: float = 0.0  # 0..15
    oxygen: float = 300.0  # 0..300


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one episode, so far or at its end."""

    environment: int
    seed: int
    success: bool
    steps: int  # primitive steps
    reward: float
    ended: Literal["running", "success", "horizon", "death"]
    before: View
    after: View
    cause: str = ""  # of a death, in words: "drowning", "a blow of a zombie"
    spent: str = ""  # of a failure, in words: on which lines of its last program the steps went


class Pictures(msgspec.Struct, frozen=True, kw_only=True):
    """Pictures that a session takes of what its first ``environments`` players see: when a stage
    begins, during it and when it is over, ``each`` of every one. Of consecutive stages those of the
    last are kept. What resets run beforehand is not pictured."""

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
    """A policy's interface to a session: its observations, actions and rewards, and when its stage
    is over (``success`` holds, or ``horizon`` primitive steps were spent)."""

    observations: list[str]  # features, by the names of the game's card
    actions: list[str]  # primitive actions, by the names of the game's card
    macros: list[Program] = []  # coded actions added to the action space
    rewards: list[RewardTerm] = []
    success: Condition
    horizon: int  # primitive steps, prefix not counted
    targets: list[str] = []  # localised names of blocks, and mobs, that the features mark
    # What the policy carries from decision to decision, forgotten where its stage begins: "gru", so
    # many numbers. It is the policy's own, and nothing to the session.
    memory: Literal["none", "gru"] = "none"
    memory_size: Positive = 64
    gamma: float = 1.0  # discount inside a macro
    autocraft: bool = False  # what leads to ``success`` is crafted for the policy, a step each


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A run of columns of the feature matrix."""

    name: str
    size: int


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A linear layer: float32 numbers, little-endian."""

    inputs: int
    outputs: int
    weights: bytes  # (outputs, inputs), row by row
    bias: bytes  # (outputs,)


class Gru(msgspec.Struct, frozen=True, kw_only=True):
    """A gated recurrent unit: float32 numbers, little-endian. Rows are those of the reset gate, of
    the update gate and of the candidate, ``outputs`` / 3 each."""

    seen: Layer  # (3 * size, numbers that it is shown)
    kept: Layer  # (3 * size, size)


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """A trained policy that a session itself can play: linear layers from features to the logits of
    its choices, with tanh between them. Where it has a memory, ``layers`` end in what that is
    shown, after a tanh, and ``after`` begin with both, side by side."""

    fields: list[Field]
    choices: list[str]
    layers: list[Layer]
    memory: Gru | None = None
    after: list[Layer] = []
    greedy: bool = False  # the most probable choice instead of a drawn one


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """A stage that resets play before the one that is trained: a program, or a policy by the
    interface that it was trained with; the caller that steps the session makes its choices. Where
    a guard is trained the session plays the policy itself, by its ``actor``."""

    program: Program | None = None
    interface: Interface | None = None
    actor: Actor | None = None


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """What takes over from a stage, in each environment by itself, while its condition holds, and
    then gives back: a program that runs, again and again, in place of the stage's, or a policy by
    the interface that it was trained with.

    The condition is looked at after each primitive step. A guard has at most ``max_steps``
    primitive steps in one turn; after that the stage has one, at least, before the guard has
    another turn. In a list of guards the first one whose condition holds plays.
    """

    name: str
    # ``def when(obs)`` in the language of programs: whether it is to play. It cannot act.
    # ``obs.steps`` is 0 where it does not play, else the steps of its turn so far.
    when: str
    purpose: str = ""
    program: Program | None = None
    interface: Interface | None = None
    policy: str = ""  # its id, and where its checkpoint is: see `messages.training.Policy`
    checkpoint: str = ""
    actor: Actor | None = None  # of the policy; who sends the guard to a session puts it in
    max_steps: int = 100


class GuardReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a guard did in a session, in all its stages together."""

    name: str
    turns: int = 0  # how often it took over
    steps: int = 0  # primitive steps, all environments together
    episodes: int = 0  # in which it took over at least once
    # How its turns ended (`TURN_ENDINGS`) -> how many; its turns that go on are in none.
    ended: dict[str, int] = {}
    # What was wrong, in its program or its condition -> how often.
    errors: dict[str, int] = {}


TURN_ENDINGS = {
    "over": "its condition held no longer",
    "step_limit": "its condition still held when its steps were spent",
    "taken_over": "the condition of a guard before it held, too",
    "failed": "its program failed",
    "idle": "its program ended without a step while its condition held",
    "death": "the player died",
    "episode_over": "the episode, or the stage, was over",
}
"""Each way in which a guard's turn may end, in words."""


MOST_ENVIRONMENTS = 1024
"""The limit of one session, unless the env server's parameters set another."""


MOST_STEPS_BEFORE_REPLY = 200
"""Where a guard is trained: the limit of primitive steps in each environment that one request plays
between the guard's turns; the reply then has ``waits``. Callers that limit samples count on it."""


class OpenSession(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Make a batch of environments and reset it. The caller names the ``session``; opening it again
    under the same name replaces it.

    Without ``autoreset`` (evaluation) an episode is over when the *task's* success or horizon is
    reached or the player dies; stages follow each other in it. With ``autoreset`` (training) the
    stage of the interface is the episode, and the step that ended one starts the next. Its resets
    may play earlier policies (``lead``): ``Opened.lead`` and ``Stepped.lead`` name the policy that
    the next step is for.
    """

    session: str
    task: Task
    size: int  # environments side by side
    seeds: SeedRange
    prefix: list[Program] = []  # coded actions run inside reset, in order
    lead: list[Lead] = []  # with autoreset: stages that resets play after the prefix
    interface: Interface | None = None
    guards: list[Guard] = []  # of the prefix, of what leads, and of the interface
    # With autoreset: a guard is trained, by its condition and its max_steps; the interface is its
    # policy's. An episode of the interface is a turn of it, and between turns ``guarded`` is
    # played, one after the other: see docs/sessions.md.
    guard: Guard | None = None
    guarded: list[Lead] = []
    autoreset: bool = False
    once: bool = False  # with autoreset: one episode each, then its environment stands still
    matched: bool = False  # Stepped.matched is given
    record: bool = False  # film environment 0
    pictures: Pictures | None = None  # not with autoreset
    # Where the batch is spread over several env servers: how many environments it has in all (0:
    # those of this session), and the place of this session's first one, which decides its seeds.
    batch: int = 0
    first: int = 0
    # The play that its episodes are stored under; a later session of the same play replaces them.
    play: str = ""  # empty: the session's name


class TakeInterface(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A new stage begins in an open session: another policy plays on from its current state."""

    session: str
    interface: Interface
    environments: list[int] = []  # rows that play on, the others wait; none: all
    begins: bool = False  # a subtask begins here: `have` of stages counts from now on in them
    guards: list[Guard] = []  # of this stage


class Opened(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The session's interface for a policy. Without one there are no fields and choices."""

    fields: list[Field]
    choices: list[str]  # names: primitive actions, then macros
    features: Array  # float32 (size, sum of field sizes); uint8 where all fields are pictures
    mask: Array  # bool (size, len(choices)), never all False in a row
    prefix_steps: int  # primitive steps spent by the prefix
    lead: int = -1  # see Stepped
    waits: bool = False
    begun: int = 0  # see `Stepped`


class Step(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One decision for every environment whose stage is not over; a macro runs to its end in it,
    and so does the turn of a guard that interrupts it. While an earlier policy plays (``lead``),
    choices of environments that it does not play in are ignored.
    """

    session: str
    choices: Array  # int64 (size,)


class Stepped(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The outcome of one decision. After a macro of k steps, ``reward`` is the sum of
    gamma^i r_i for i < k and ``steps`` is k; a guard's steps count as those of the decision that it
    interrupted. With autoreset, rows of finished episodes hold the next episode's first features;
    the last ones of the old episode are in ``final_features``."""

    features: Array  # float32 or uint8 (size, F), see `Opened`
    mask: Array  # bool (size, len(choices))
    reward: Array  # float32 (size,)
    steps: Array  # int64 (size,), 0 where the stage was already over
    terminated: Array  # bool (size,): the stage's success, or death
    truncated: Array  # bool (size,): the stage's or the task's horizon
    success: Array  # bool (size,): the stage's success
    final_rows: Array  # int64 (n,): environments whose episode ended in this step
    final_features: Array  # like features (n, F)
    final_returns: Array  # float32 (n,): undiscounted episode returns
    final_lengths: Array  # int64 (n,): primitive steps of the ended episodes
    prefix_steps: int  # primitive steps spent by prefixes and leading stages, in resets
    # Of each ended episode, what it had of what the game's score counts; empty: it has no score.
    final_scored: list[list[str]] = []
    # Which of OpenSession.lead's policies the next step is for: features, mask and the next choices
    # are those of this policy; -1: those of the trained one.
    lead: int = -1
    # int64 (size,), where OpenSession.matched asks for it: the primitive choice that does what the
    # last primitive step of the decision did, -1 where there is none.
    matched: Array | None = None
    # Where a guard is trained: in some environments its condition does not hold yet. The next step
    # plays on what it interrupts, up to MOST_STEPS_BEFORE_REPLY; its choices are ignored, and its
    # reward is 0.
    waits: bool = False
    # Where a guard is trained, and `final_rows` are its turns: how many episodes, hence seeds, the
    # environment that has begun the most of them has begun. 0 elsewhere.
    begun: int = 0
    # int64 (n,), likewise: the seeds of the episodes that those turns were in. None elsewhere.
    final_seeds: Array | None = None


class PlayOn(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Let the session play the stage's policy itself, for some tenths of a second or until the
    stage is over everywhere; while the env server is paused, one decision. Not with autoreset."""

    session: str
    actor: Actor | None = None  # goes with the stage's first request; None: that one plays on
    seed: int = 0  # of the choices that it draws, likewise
    single: bool = False  # one decision


class PlayedOn(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What the session's policy did in this request."""

    steps: int  # primitive steps, all environments together
    over: Array  # bool (size,): where the stage is over
    late: Array  # bool (size,): where a horizon ended it in this request
    choices: Array  # uint16 (T, size), its decisions, as `Step` has them


class SessionName(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    session: str


class CloseSession(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``whole``: the play has come to its end, and is not abandoned; see `StoredPlay`."""

    session: str
    whole: bool = True


class ChoiceUse(msgspec.Struct, frozen=True, kw_only=True):
    """How often a policy chose something. ``endings``: of a macro's runs, in words -> how many."""

    name: str
    times: int
    endings: dict[str, int] = {}


class Closed(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The result of a session: one episode per environment, and the film if it was recorded."""

    episodes: list[Episode]
    video: str | None = None  # path relative to the run folder
    pictures: list[Picture] = []  # by environment, in the order they were taken
    # Of the last policy that played: its choices, the most frequent first, and what went wrong in
    # its rewards that are code, in words -> how often.
    choices: list[ChoiceUse] = []
    mistakes: dict[str, int] = {}
    guards: list[GuardReport] = []  # those that the session had, by the order in which they came


class Looked(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The episodes of a session, so far."""

    episodes: list[Episode]


class RunProgram(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Run one program to its end in every environment of a session whose episode is not over.
    The result of a goal is stored; the session that it ran in is not: after a restart of the env
    server it is unknown, and the caller plays its episodes again from the start."""

    session: str
    program: Program
    environments: list[int] = []  # rows that run it, the others wait; none: all
    begins: bool = False  # a subtask begins here, see TakeInterface
    guards: list[Guard] = []  # their steps count towards the program's max_steps


class ProgramRan(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    steps: int  # primitive steps, all environments together
    reports: list[ProgramReport]  # grouped by (status, line), the most frequent first
    episodes: list[Episode]


class Activity(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The load of the env server, published about once a second."""

    sessions: int
    environments: int
    steps: int  # primitive steps since this run began, over restarts
    steps_per_second: float


class Sight(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """What the player of a session's first environment sees, some times a second, published only
    while there are subscribers. ``above``: the ground around the player seen from above, north at
    the top, a pixel for each block; empty where the world has no such picture."""

    session: str
    task: str
    steps: int  # primitive steps of its episode
    view: View
    picture: Array  # uint8 (3, height, width)
    above: Array  # uint8 (3, n, n)


# A call may compile a world or start a Minecraft; a caller that gave up and retried would begin
# that again. The env server has limits of its own for what a session's worker may take.
OPEN = Service("env_server/open", OpenSession, Opened, idempotent=True, timeout=LIMITED_BY_SERVER)
INTERFACE = Service(
    "env_server/interface", TakeInterface, Opened, idempotent=True, timeout=LIMITED_BY_SERVER
)
STEP = Service("env_server/step", Step, Stepped, timeout=LIMITED_BY_SERVER)
PLAY_ON = Service("env_server/play_on", PlayOn, PlayedOn, timeout=LIMITED_BY_SERVER)
LOOK = Service("env_server/look", SessionName, Looked, idempotent=True, timeout=LIMITED_BY_SERVER)
CLOSE = Service("env_server/close", CloseSession, Closed, timeout=LIMITED_BY_SERVER)
RUN_PROGRAM = Action("env_server/run_program", RunProgram, Activity, ProgramRan)
ACTIVITY = Topic("env_server/activity", Activity, latched=True)
SIGHT = Topic("env_server/sight", Sight)
