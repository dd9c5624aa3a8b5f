"""Training curves for TensorBoard, one folder per policy."""

from pathlib import Path

from torchrl.record.loggers import TensorboardLogger

from nodes.learner.episodes import RecentEpisodes
from nodes.learner.ppo import Ppo, UpdateStatistics


class Metrics:
    """Curves over samples, in ``folder/<policy's folder name>``."""

    def __init__(self, folder: Path, policy: str) -> None:
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
        for name, value in curves.items():
            self.logger.log_scalar(name, value, step=samples)

    def write_parameters(self, samples: int, ppo: Ppo) -> None:
        """Write the parameters of the last update, some of which can be set during a training."""
        curves = {"learning_rate": ppo.learning_rate}
        for name in ("clip", "entropy_bonus", "epochs", "target_kl"):
            curves[name] = float(getattr(ppo.parameters, name))
        for name, value in curves.items():
            self.logger.log_scalar(f"parameters/{name}", value, step=samples)

    def flush(self) -> None:
        """Write the curves to the disk: a kill loses what is not there."""
        self.logger.experiment.flush()

    def close(self) -> None:
        self.logger.experiment.close()
