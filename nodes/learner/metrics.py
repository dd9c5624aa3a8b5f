"""Training curves for TensorBoard, one folder per policy."""

from pathlib import Path

from torchrl.record.loggers import TensorboardLogger

from nodes.common.storage.whole_files import named
from nodes.learner.collecting.episodes import RecentEpisodes
from nodes.learner.optimising.ppo import Ppo, UpdateStatistics


class Metrics:
    """Curves over samples, in ``folder/<policy's folder name>``. Each method raises OSError, which
    names that folder, where they can't be written: TensorBoard's thread writes them, and its error
    comes with whatever is called next."""

    def __init__(self, folder: Path, policy: str) -> None:
        self._folder = folder / policy
        with named(self._folder):
            self.logger = TensorboardLogger(exp_name=policy, log_dir=str(folder))

    def write(
        self,
        samples: int,
        statistics: UpdateStatistics,
        episodes: RecentEpisodes,
        steps_per_second: float,
        imitation_loss: float | None = None,
    ) -> None:
        curves = {
            "episode/success_rate": episodes.success_rate,
            "episode/return": episodes.mean_return,
            "episode/length": episodes.mean_length,
            "policy/entropy": statistics.entropy,
            "policy/kl": statistics.kl,
            "policy/clone_kl": statistics.clone_kl,
            "policy/clip_fraction": statistics.clip_fraction,
            "loss/objective": statistics.loss_objective,
            "loss/critic": statistics.loss_critic,
            "critic/explained_variance": statistics.explained_variance,
            "speed/steps_per_second": steps_per_second,
        }
        if imitation_loss is not None:
            curves["loss/imitation"] = imitation_loss
        self._log(samples, curves)

    def write_parameters(self, samples: int, ppo: Ppo) -> None:
        """Write the parameters of the last update, some of which can be set during a training."""
        curves = {"parameters/learning_rate": ppo.learning_rate}
        for name in ("clip", "entropy_bonus", "epochs", "target_kl"):
            curves[f"parameters/{name}"] = float(getattr(ppo.parameters, name))
        self._log(samples, curves)

    def flush(self) -> None:
        """Write the curves to the disk: a kill loses what is not there."""
        with named(self._folder):
            self.logger.experiment.flush()

    def close(self) -> None:
        with named(self._folder):
            self.logger.experiment.close()

    def _log(self, samples: int, curves: dict[str, float]) -> None:
        with named(self._folder):
            for name, value in curves.items():
                self.logger.log_scalar(name, value, step=samples)
