"""The learner node: the reinforcement-learning pipeline as a tool.

TRAIN trains a policy on a spec under its goal's id, ACT lets one play on in a session. Both need
torch, which takes seconds to import: a thread imports it while the node already serves.
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
from nodes.common.parameters.hyperparameters import TAKEN_WHILE_TRAINING, Hyperparameters
from nodes.common.parameters.kept_parameters import TAKEN
from nodes.config import check_batch
from nodes.learner import gpu
from nodes.learner.checkpoints.policies import folder_of, load_spec, policy_folder, save_spec
from nodes.learner.collecting.env_servers import servers_of
from nodes.learner.spec_bounds import spec_problem
from nodes.node import Node

_ENDING = 1.0  # seconds for running goals to end in order


def _import_all() -> None:
    import_module("nodes.learner.training")
    import_module("nodes.learner.acting")


class Learner(Node):
    """Trains policies by PPO with options, and plays episodes by them."""

    name = "learner"
    works_on = "learner"
    handed_over = ("tensorboard/*/events.out.tfevents.*", TAKEN)
    live = frozenset({"greedy", *TAKEN_WHILE_TRAINING})

    class Parameters(Hyperparameters):
        """See nodes/common/parameters/hyperparameters.py."""

    parameters: Parameters

    def setup(self) -> None:
        check_batch(self.config, "learner.environments", self.parameters.environments)
        gpu.check_device(self.config, self.parameters.device)
        gpu.check_there(self.parameters.device)
        self._stopping = threading.Event()
        self.goals()  # fails before the import begins, which takes seconds to end
        # In one thread, which its users join: two threads cannot import torchrl at once.
        self._importing = threading.Thread(target=_import_all, name="imports", daemon=True)
        self._importing.start()
        self.advertise(PROGRESS)
        self.serve(ACTOR, self.actor, background=True)
        self.serve_action(TRAIN, self.train)
        self.serve_action(ACT, self.act)

    def shutdown(self) -> None:
        """End the running goals, which go on from their checkpoints in the next epoch of the node.
        A thread inside torch gets a second at most: an update may take longer than that."""
        self._stopping.set()
        self.bus.close()  # wakes the threads that wait for a reply, so that goals end
        deadline = time.monotonic() + _ENDING
        for thread in threading.enumerate():
            if thread.name in (TRAIN.name, ACT.name):
                thread.join(max(0.0, deadline - time.monotonic()))

    def _check(self, goal: GoalHandle[Any, Any]) -> None:
        if self._stopping.is_set():
            raise BusClosed("the learner stops")
        goal.check()

    def train(self, goal: GoalHandle[Train, Progress]) -> Trained:
        if problem := spec_problem(goal.request.spec):
            raise ServiceError(problem, code="invalid")
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
        from nodes.learner.checkpoints.exporting import actor_of

        return GotActor(actor=actor_of(self.folder, request.policy, self.parameters.greedy))

    def act(self, goal: GoalHandle[Act, Progress]) -> Acted:
        self._importing.join()
        from nodes.learner.acting import play

        policy = goal.request.policy.id
        folder = folder_of(self.folder, goal.request.policy)
        spec = load_spec(folder, policy)
        begun = policy_folder(self.folder / "acting", goal.id)
        if begun.exists():
            # An earlier process of this node played in the session and was killed. A stage that
            # began twice would have twice its horizon.
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
        begun.unlink()  # only after success: a goal that ended in another way must not begin again
        return acted
