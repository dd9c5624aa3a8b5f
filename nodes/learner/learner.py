"""The learner node: the reinforcement-learning pipeline as a tool.

TRAIN trains a policy on a spec under its goal's id, ACT lets one play on in a session. Both need
torch, which takes seconds to import: it is imported beside the serving, not before it.
"""

import threading
import time
from functools import partial
from importlib import import_module
from typing import Any

from messages.bus import SESSION_KILLED, BusClosed, GoalHandle, ServiceError
from messages.training import (
    ACT,
    ACTOR,
    PROGRESS,
    TRAIN,
    Act,
    Acted,
    GetActor,
    GotActor,
    Progress,
    Train,
    Trained,
)
from nodes.config import check_batch
from nodes.learner import gpu
from nodes.learner.env_servers import servers_of
from nodes.learner.parameters import TAKEN_WHILE_TRAINING, Hyperparameters
from nodes.learner.policies import folder_of, load_spec, policy_folder, save_spec
from nodes.learner.taking import TAKEN
from nodes.node import Node

_ENDING = 1.0  # seconds for what is being done to end in order


def _import_all() -> None:
    import_module("nodes.learner.training")
    import_module("nodes.learner.acting")


class Learner(Node):
    name = "learner"
    works_on = "learner"
    handed_over = ("tensorboard/*/events.out.tfevents.*", TAKEN)
    live = frozenset({"greedy", *TAKEN_WHILE_TRAINING})

    class Parameters(Hyperparameters):
        """See nodes/learner/parameters.py."""

    parameters: Parameters

    def setup(self) -> None:
        check_batch(self.config, "learner.environments", self.parameters.environments)
        gpu.check_device(self.config, self.parameters.device)
        gpu.check_there(self.parameters.device)
        self._stopping = threading.Event()
        self.goals()  # a node without them is not to begin what takes seconds to end
        # In one thread, which those who need it wait for: torchrl doesn't survive being imported
        # by two at once.
        self._importing = threading.Thread(target=_import_all, name="imports", daemon=True)
        self._importing.start()
        self.advertise(PROGRESS)
        self.serve(ACTOR, self.actor, background=True)
        self.serve_action(TRAIN, self.train)
        self.serve_action(ACT, self.act)

    def shutdown(self) -> None:
        """Ends what is being done: it goes on from its checkpoint in the next life. A thread that
        is inside torch is not waited for, as an update may take longer than anybody waits."""
        self._stopping.set()
        self.bus.close()  # whoever waits for an answer wakes up, and the actions' threads end
        deadline = time.monotonic() + _ENDING
        for thread in threading.enumerate():
            if thread.name in (TRAIN.name, ACT.name):
                thread.join(max(0.0, deadline - time.monotonic()))

    def _check(self, goal: GoalHandle[Any, Any]) -> None:
        if self._stopping.is_set():
            raise BusClosed("the learner stops")
        goal.check()

    def train(self, goal: GoalHandle[Train, Progress]) -> Trained:
        self._importing.join()
        from nodes.learner.training import Training

        folder = policy_folder(self.folder, goal.id)
        save_spec(folder, goal.request.spec)
        training = Training(
            policy=goal.id,
            spec=goal.request.spec,
            parameters=self.parameters,
            learner=self.folder,
            folder=folder,
            servers=servers_of(self.config, self.call),
            log=self.log,
            warn=lambda problem: self.bus.report(TRAIN.name, problem, "error"),
        )

        def report(progress: Progress) -> None:
            self.publish(PROGRESS, progress)
            goal.feedback(progress)

        check = partial(self._check, goal)
        # Not `self.call`: a learner that is paused keeps its lease of the GPU.
        call = self.bus.call
        with gpu.turn(self.config, self.parameters.device, goal.id, call, check, self.log):
            return training.run(report, check)

    def actor(self, request: GetActor) -> GotActor:
        self._importing.join()
        from nodes.learner.exporting import actor_of

        return GotActor(actor=actor_of(self.folder, request.policy, self.parameters.greedy))

    def act(self, goal: GoalHandle[Act, Progress]) -> Acted:
        self._importing.join()
        from nodes.learner.acting import play

        policy = goal.request.policy.id
        folder = folder_of(self.folder, goal.request.policy)
        spec = load_spec(folder, policy)
        begun = policy_folder(self.folder / "acting", goal.id)
        if begun.exists():
            # The session has been played in by a life of this node that did not see the end, and
            # a stage that is begun twice would have its horizon twice.
            begun.unlink()
            raise ServiceError(
                f"The learner was restarted while {policy} played in {goal.request.session}: play "
                "its episodes again from the start.",
                code=SESSION_KILLED,
            )
        begun.parent.mkdir(exist_ok=True)
        begun.touch()
        acted = play(
            self.call,
            goal.request,
            spec=spec,
            folder=folder,
            learner=self.folder,
            greedy=self.parameters.greedy,
            warn=lambda problem: self.bus.report(ACT.name, problem, "error"),
            check=lambda: self._check(goal),
        )
        begun.unlink()  # only here: whatever else ends it, this goal is not begun again
        return acted
