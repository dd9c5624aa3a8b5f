"""Serve the embedded world to MineDojo's own package, in place of Minecraft.

python -m voxeldojo.malmo --port 9000 [--seed 0]
"""

import argparse
import errno
import logging
import signal
import sys
import threading

from voxeldojo.command_name import called, refuse
from voxeldojo.exit_codes import REFUSED
from voxeldojo.game import Game, Keys
from voxeldojo.malmo.log import PlainFormatter
from voxeldojo.malmo.server import MalmoServer
from voxeldojo.malmo.wire import frame_and_info
from voxeldojo.rules import biome_named
from voxeldojo.tasks import make_kwargs, world_settings


def main() -> int:
    """Exit codes: 0 stopped by a signal, 2 it could not start."""
    given = _parser().parse_args()
    log = logging.StreamHandler()
    log.setFormatter(PlainFormatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[log])
    try:
        biome = None if given.biome is None else biome_named(given.biome).name
        server = MalmoServer(
            given.host,
            given.port,
            seed=given.seed,
            biome=biome,
            area=given.area,
            connections=given.connections,
        )
        _warm_up(biome, given.area)  # clients that connect meanwhile wait in the listener's queue
    except ValueError as refused:
        refuse("serve", refused)
        return REFUSED
    except OverflowError:
        refuse("serve", f"a port is 0 to 65535, not {given.port}")
        return REFUSED
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]  # without the address that follows
        hint = "; --port 0 takes one that is free" if error.errno == errno.EADDRINUSE else ""
        refuse(
            "serve",
            f"cannot listen on {given.host}:{given.port}: {why}{hint}",
        )
        return REFUSED
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=server.run, daemon=True).start()
    print(f"listening on {given.host}:{server.port}", flush=True)
    stop.wait()
    server.close()
    return 0


def _warm_up(biome: str | None, area: int) -> None:
    """Compile everything before the first client."""
    kwargs = make_kwargs("open-ended", image_size=16, use_voxel=True, use_lidar=True)
    game = Game(world_settings("open-ended", kwargs), default_biome=biome, area=area)
    game.tick(Keys(hotbar=1, swaps=((0, 1),)))  # kernels that nothing else calls
    frame_and_info(game)
    game.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=called("serve"),
        description="The embedded world behind the protocol of MineDojo's Java side.",
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, required=True, help="0: any free one")
    parser.add_argument("--host", default="127.0.0.1", help="default: this machine only")
    parser.add_argument("--seed", type=int, default=0, help="for missions that give no world seed")
    parser.add_argument("--biome", help="for missions that name none; default: all biomes")
    parser.add_argument("--area", type=int, default=128, help="columns along each side")
    parser.add_argument("--connections", type=int, default=64, help="the most at a time")
    return parser


if __name__ == "__main__":
    sys.exit(main())
