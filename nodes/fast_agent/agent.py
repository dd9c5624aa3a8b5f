"""What the parts of the fast agent share: its parameters, the player, and how they report what they
do. `FastAgent` serves the actions."""

from typing import Any, Literal

from messages.bounds import NotNegative, Positive, Share
from messages.bus import GoalHandle
from messages.plan import WORKING, Working
from messages.program import Program
from messages.world import DEFAULT_GAME
from nodes.common.goals.budget import EVALUATION_EPISODES
from nodes.common.goals.goal_ids import file_name
from nodes.common.parameters.vision import pictures_for_the_critic
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.whole_files import write_whole
from nodes.config import ConfigError, check_session_size, node_values
from nodes.fast_agent.playing.seeds import TryoutSeeds, reuse_seeds, trial_seeds
from nodes.fast_agent.playing.stage_playing import Player
from nodes.node import Node
from worlds import card
from worlds.common.mineclip_feature import MINECLIP
from worlds.common.pictures import picture_shape


class Agent(Node):
    """The fast agent, as its parts see it.

    Attributes:
        seed: decides which seeds are trained, tried and evaluated on.
        gamma: the learner's discount of a step.
        pictures: what the critic is to see of a tryout, if anything.
        mineclip: whether specs may name its observation and its reward.
    """

    name = "fast_agent"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        # What it plays on, and what policies may see and do.
        seed: int | None = None  # which seeds are trained, tried and evaluated on; None: the run's
        macros: bool = True  # may coded actions join the action space of a policy?
        # Is what leads to success crafted for policies as soon as it can be?
        autocraft: bool = False
        # What policies see, in place of what their specs name: [rgb]. None: as in the spec.
        observations: tuple[str, ...] | None = None

        # Tryouts and evaluations.
        critic: bool = True  # false: a program that runs without an error counts as success
        required_rate: Share = 0.9  # success rate of a tryout that counts as success
        trial_episodes: Positive = 20
        # Of each of the two tryouts that compare stages with and without a learned guard. It plays
        # only some of their steps, so that what it changes shows in many episodes.
        guard_episodes: Positive = 60
        evaluation_episodes: Positive = EVALUATION_EPISODES
        # A policy whose horizon is over begins again until its episode is; false: it has it once.
        persist: bool = True
        # Attempts at a play whose session is lost; not those killed from outside.
        plays: Positive = 5

        # What one goal may take.
        repairs: NotNegative = 2  # programs (or specs) after the first, within one goal
        refusals: NotNegative = 5  # programs that the check refuses, besides, within one goal
        # Primitive steps that one run of a program may take; None: those of the task's episode.
        program_steps: Positive | None = 1000
        prefix_steps: Positive = 1000  # the same inside the resets of a training, where they add up
        most_samples: Positive = 3_000_000  # the largest budget that a spec may have
        budget: Positive | None = None  # caps the specs'; None: as they have it
        # May a budget be doubled where the success rate still rises as it is spent?
        budget_grows: bool = True
        stop_at: Share = 0.98  # training success rate at which training ends early
        # Samples without any success that end it; None: never.
        give_up_at: Positive | None = 100_000

        # The performance.
        most_tries: Positive = 12  # at one subtask in one episode, whatever they bring
        # In a row and without bringing anything; not those that a policy's horizon ended.
        tries: Positive = 3
        # Plans of one episode after tries that brought nothing; None: any.
        replans: NotNegative | None = None

        # Skills and earlier policies.
        skills: str | None = None  # the library's folder, seen from the run folder; None: off
        reuse_rate: Share = 0.8  # of skills that are tried
        warm_starts: bool = True  # may training begin from an earlier policy that fits?

        # Learning from code, that is from programs that were tried for the subtask: may they join
        # the action space of a policy, and after how many steps are they interrupted there (None:
        # as the spec has it); may a policy begin as a clone of them; does the best of them stand
        # where the policy, or a program that is written later, does worse?
        program_macros: bool = True
        interrupt: Positive | None = None
        clone: bool = True
        better_of: bool = True
        # Which trainings try their policy out as they go on, stop where it falls below its start or
        # its best, and end with the best weights: those that began as a clone or from an earlier
        # policy.
        tryouts_in_training: Literal["started", "always", "never"] = "started"
        tryouts_every: Positive = 50_000  # samples from one to the next

    handed_over = ("programs/*.py",)
    parameters: Parameters
    live = frozenset(
        {"reuse_rate", "repairs", "required_rate", "trial_episodes", "evaluation_episodes"}
        | {"refusals", "budget", "most_samples", "stop_at", "give_up_at", "tries", "most_tries"}
        | {"guard_episodes"}
    )

    def check_parameters(self, wanted: Any) -> None:
        for name in ("trial_episodes", "guard_episodes", "evaluation_episodes"):
            where = f"nodes.fast_agent.parameters.{name}"
            check_session_size(self.config, where, getattr(wanted, name))
        if problem := self._contradiction(wanted):
            raise ConfigError(f"nodes.{self.name}.parameters: {problem}")

    def _contradiction(self, wanted: Parameters) -> str:
        """What was set and would never be read, as a sentence; empty if nothing is. A default is no
        choice of anybody's."""
        given = node_values(self.config, self.name)
        if not wanted.macros and wanted.interrupt is not None:
            return (
                f"interrupt={wanted.interrupt} is for macros, and macros=false leaves none: "
                "leave one of the two out"
            )
        if not wanted.macros and given.get("program_macros") is True:
            return (
                "program_macros=true is for macros, and macros=false leaves none: "
                "leave one of the two out"
            )
        never = wanted.tryouts_in_training == "never"
        if never and wanted.tryouts_every != self.Parameters().tryouts_every:
            return (
                f"tryouts_every={wanted.tryouts_every} is for tryouts in training, and "
                "tryouts_in_training=never leaves none: leave one of the two out"
            )
        return ""

    def setup(self) -> None:
        self.check_parameters(self.parameters)
        self._check_observations()
        seed = self.parameters.seed
        learner = self.config.get("learner") or {}
        self.seed: int = self.config.get("seed", 0) if seed is None else seed
        self.gamma: float = learner.get("gamma", 0.99)
        self.pictures = pictures_for_the_critic(self.config, self.parameters.trial_episodes)
        files = node_values(self.config, "env_server").get("mineclip") or {}
        self.mineclip: bool = files.get("weights") is not None
        self.programs = self.folder / "programs"
        self.programs.mkdir(exist_ok=True)
        self.memory = Memory(self.folder / "memory.sqlite")
        self.player = Player(self, self.memory, self.parameters.plays)
        self.tryouts = TryoutSeeds(self.memory, self.seed, "tryouts", trial_seeds)
        self.reuses = TryoutSeeds(self.memory, self.seed, "reuses", reuse_seeds)

    def working(self, goal: GoalHandle[Any, Working], activity: str) -> None:
        """Publish what is being done right now."""
        message = Working(activity=activity)
        self.publish(WORKING, message)
        goal.feedback(message)

    def _check_observations(self) -> None:
        """Raises ConfigError for one that the game does not have."""
        named = self.parameters.observations
        if named is None:
            return
        task: dict[str, Any] = self.config.get("task") or {}
        known = [*card(task.get("game", DEFAULT_GAME)).specs.features, MINECLIP.name]
        where = "nodes.fast_agent.parameters.observations"
        if not named or len(set(named)) < len(named):
            raise ConfigError(f"{where}: name at least one observation, and each once")
        for name in named:
            if name not in known and picture_shape(name) is None:
                raise ConfigError(
                    f"{where}: there is no observation {name!r}; there are {', '.join(known)}, and "
                    "rgb in other sizes, as rgb_HEIGHTxWIDTH"
                )

    def save(self, goal_id: str, program: Program) -> None:
        """Keep a program as a file that a person can read."""
        write_whole(self.programs / f"{file_name(goal_id)}.py", program.source.encode())
