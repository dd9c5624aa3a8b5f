"""Draws a picture of a task's or a biome's world, or all the pictures of the docs.

python -m voxeldojo.viewing.view TASK [--seed S] [--out picture.png] [--size 160x256]
"""

import argparse
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from voxeldojo.command_name import called, refuse
from voxeldojo.exit_codes import REFUSED
from voxeldojo.game import STILL, Game, Keys
from voxeldojo.rules.mobs import mob_names
from voxeldojo.viewing.gallery import draw_gallery
from voxeldojo.viewing.png import write_png
from voxeldojo.viewing.shown_world import CannotSee, open_game, size_of


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 drawn, 2 refused."""
    given = _parser().parse_args(arguments)
    try:
        if given.gallery is not None:
            for path in draw_gallery(Path(given.gallery)):
                print(path)
            return 0
        if given.task is None:
            raise CannotSee("name what to look at: a task id like harvest_1_log, or a biome")
        path = Path(given.out)
        if path.suffix.lower() != ".png":  # other programs would expect another format by the name
            raise CannotSee(f"a picture is a PNG file: --out FILE.png, not {given.out}")
        height, width = size_of(given.size)
        if not (np.isfinite(given.turn) and np.isfinite(given.pitch)):
            raise CannotSee("--turn and --pitch are degrees")
        game, prompt = open_game(given.task, given.seed)
        with closing(game):
            game.tick(Keys(yaw=given.turn, pitch=given.pitch))
            for _ in range(10):
                game.tick(STILL)
            write_png(path, game.world.rgb(0, height, width))
            print(f"{path}: {height} x {width}, seed {given.seed}. {prompt}")
            print(contents(game))
    except CannotSee as refused:
        refuse("view", refused)
        return REFUSED
    except OSError as refused:
        where = refused.filename or given.gallery or given.out
        refuse("view", f"{where} cannot be written: {refused.strerror}")
        return REFUSED
    return 0


def contents(game: Game) -> str:
    """The player's position, and the blocks in the picture, the most frequent first."""
    world = game.world
    position, yaws, pitches = world.location()
    angles = np.radians(np.linspace(-30.0, 30.0, 21))
    rays = np.stack([np.repeat(angles, 21), np.tile(angles, 21)], 1).astype(np.float32)
    names, _ = world.rays(rays, 40.0)
    seen, counts = np.unique(names[names > 0], return_counts=True)
    listed = [world.block_names[seen[number]] for number in np.argsort(-counts)]
    kinds = world.state.mobs[0]["kind"]
    mobs = sorted({mob_names[kind] for kind in kinds if kind})
    x, y, z = (float(value) for value in position[0])
    where = f"At {x:.1f}, {y:.1f}, {z:.1f}, looking to yaw {yaws[0]:.0f}, pitch {pitches[0]:.0f}."
    return f"{where} Seen: {', '.join(listed) or 'the sky'}. Mobs about: {', '.join(mobs) or '-'}."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=called("view"),
        description="Draw what a player sees where a task or a biome begins.",
        allow_abbrev=False,
    )
    parser.add_argument("task", nargs="?", metavar="TASK", help="a task id or a biome")
    parser.add_argument("--seed", type=int, default=0, help="of the world; default: 0")
    parser.add_argument("--out", default="picture.png", metavar="FILE", help="default: picture.png")
    parser.add_argument("--size", default="160x256", metavar="HxW", help="default: 160x256")
    parser.add_argument("--turn", type=float, default=0.0, help="degrees to the right")
    parser.add_argument("--pitch", type=float, default=0.0, help="degrees down")
    parser.add_argument("--gallery", metavar="FOLDER", help="draw all the pictures of the docs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
