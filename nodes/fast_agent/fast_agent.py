"""The fast agent node: the inner loop (implement one sub-action), evaluations, performances."""

from typing import Any

from messages.bounds import Discount, NotNegative, Positive, Share
from messages.bus import GoalHandle, RemoteError
from messages.plan import (
    EVALUATE,
    IMPLEMENT,
    PERFORM,
    WORKING,
    Evaluate,
    Evaluated,
    Implemented,
    Performed,
    Working,
)
from messages.program import Program
from nodes.config import ConfigError, node_values
from nodes.fast_agent.code_branch import implement_by_code
from nodes.fast_agent.implementing import Implementing, Outcome, Spent, failed
from nodes.fast_agent.performing import Performing, perform
from nodes.fast_agent.playing import Play, Player
from nodes.fast_agent.rl_branch import implement_by_rl
from nodes.fast_agent.seeds import evaluation_seeds
from nodes.fast_agent.skill_branch import implement_by_skill
from nodes.fast_agent.skills import Skills
from nodes.fast_agent.warm_starts import WarmStarts
from nodes.memory import Memory
from nodes.naming import slug
from nodes.node import Node
from nodes.skill_library import Library
from nodes.skills import LibraryError
from nodes.vision import pictures_for_the_critic


class FastAgent(Node):
    name = "fast_agent"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        seed: int | None = None  # which seeds are trained, tried and evaluated on; None: the run's
        macros: bool = True  # may coded actions join the action space of a policy?
        # Is what leads to success crafted for policies as soon as it can be?
        autocraft: bool = False
        critic: bool = True  # false: a program that runs without an error counts as success
        persist: bool = True  # a policy that ends a subtask plays on until its episode is over
        trial_episodes: Positive = 20
        evaluation_episodes: Positive = 30
        repairs: NotNegative = 2  # programs (or specs) after the first, within one goal
        required_rate: Share = 0.9  # success rate of a tryout that counts as success
        program_steps: Positive = 1000  # primitive steps that one run of a program may take
        prefix_steps: Positive = 1000  # the same inside the resets of a training, where they add up
        most_samples: Positive = 3_000_000  # the largest budget that a spec may ask for
        budget: Positive | None = None  # caps the specs'; None: as asked
        stop_at: Share = 0.98  # training success rate at which training ends early
        # Samples without any success that end it; None: never.
        give_up_at: Positive | None = 100_000
        gamma: Discount | None = None  # discount inside a macro; None: the learner's
        tries: Positive = 3  # at a subtask of a performance, in a row and without bringing anything
        most_tries: Positive = 12  # at one subtask in one episode, whatever they bring
        # Plans of one episode after tries that brought nothing; None: any.
        replans: NotNegative | None = None
        plays: Positive = 5  # how often a play starts over when the env server was restarted
        skills: str | None = None  # the library's folder, seen from the run folder; None: off
        reuse_rate: Share = 0.8  # of skills that are tried
        warm_starts: bool = True  # may training begin from an earlier policy that fits?

    parameters: Parameters
    live = frozenset(
        {"reuse_rate", "repairs", "required_rate", "trial_episodes", "evaluation_episodes"}
    )

    def setup(self) -> None:
        seed, gamma = self.parameters.seed, self.parameters.gamma
        learner = self.config.get("learner") or {}
        self.seed: int = self.config.get("seed", 0) if seed is None else seed
        self.gamma: float = learner.get("gamma", 0.99) if gamma is None else gamma
        self.pictures = pictures_for_the_critic(self.config)
        files = node_values(self.config, "env_server").get("mineclip") or {}
        self.mineclip = files.get("weights") is not None
        self.programs = self.folder / "programs"
        self.programs.mkdir(exist_ok=True)
        self.memory = Memory(self.folder / "memory.sqlite")
        self.player = Player(self, self.memory, self.parameters.plays)
        self.skills = Skills(self._library(), self.memory, self.run, self.config, self.log)
        self.starts = WarmStarts(self.skills, self.memory)
        self.bus.advertise(WORKING)
        self.serve_action(IMPLEMENT, self.implement)
        self.serve_action(EVALUATE, self.evaluate)
        self.serve_action(PERFORM, self.perform)

    def implement(self, goal: Implementing) -> Implemented:
        spent = Spent()
        try:
            implemented = self._implement(goal, spent)
        except RemoteError as error:
            if error.mishap:  # it says nothing about the sub-action; mended, the goal goes on
                raise
            # One sub-action that cannot be implemented is a verdict like any other, and what was
            # spent on it is counted.
            self.log.error("%s could not be implemented: %s", goal.id, error)
            verdict = failed(f"It could not be implemented: {error}")
            implemented = Outcome(verdict, attempts=1).implemented(goal, spent)
        if self.parameters.critic:  # else nobody knows whether it worked
            self.skills.keep(goal, implemented, self.parameters.trial_episodes)
        verdict = implemented.line.verdict
        word = "succeeded" if verdict.success else "failed"
        self.log.info("%s %s (%.2f): %s", goal.id, word, verdict.success_rate, verdict.reason)
        return implemented

    def _implement(self, goal: Implementing, spent: Spent) -> Implemented:
        """By a skill where one does it, else by what the sub-action asks for."""
        looked_up = self.skills.look_up(self, goal)
        if looked_up.skill is not None:
            known = implement_by_skill(self, goal, self.skills, looked_up.skill, spent)
            if known is not None and known.line.verdict.success:
                return known
        if goal.request.sub_action.method == "code":
            return implement_by_code(self, goal, looked_up, spent)
        return implement_by_rl(self, goal, self.starts, looked_up, spent)

    def evaluate(self, goal: GoalHandle[Evaluate, Working]) -> Evaluated:
        request = goal.request
        self.working(goal, f"evaluating {len(request.stages)} stages")
        played = self.player.play(
            f"{goal.id}/episodes",
            Play(
                task=request.task,
                size=self.parameters.evaluation_episodes,
                seeds=evaluation_seeds(self.seed),
                stages=request.stages,
                record=request.record,
                persist=self.parameters.persist,
            ),
            lambda: goal.withdrawn,
        )
        successes = sum(episode.success for episode in played.episodes)
        rate = successes / len(played.episodes) if played.episodes else 0.0
        self.log.info("%s: %d of %d episodes", goal.id, successes, len(played.episodes))
        evaluated = Evaluated(
            success_rate=rate, episodes=played.episodes, steps=played.steps, video=played.video
        )
        self.skills.evaluated(goal.id, request, evaluated)
        return evaluated

    def _library(self) -> Library | None:
        folder = self.parameters.skills
        if folder is None:
            return None
        try:
            return Library(self.run / folder)
        except LibraryError as error:
            raise ConfigError(
                f"{error}; or go without: nodes.fast_agent.parameters.skills=null"
            ) from error

    def perform(self, goal: Performing) -> Performed:
        performed = perform(self, goal)
        self.log.info("%s: performed with success %.2f", goal.id, performed.success_rate)
        return performed

    def working(self, goal: GoalHandle[Any, Working], activity: str) -> None:
        """Say what is being done right now."""
        message = Working(activity=activity)
        self.publish(WORKING, message)
        goal.feedback(message)

    def save(self, goal_id: str, program: Program) -> None:
        """Keep a program as a file that a person can read."""
        name = "--".join(slug(part) for part in goal_id.split("/"))
        (self.programs / f"{name}.py").write_text(program.source)
