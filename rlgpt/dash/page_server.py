"""``rlgpt dash``: serve the page until Ctrl-C."""

import socket
from typing import Any

import uvicorn

from rlgpt.dash.access import loopback
from rlgpt.dash.app import make_app
from rlgpt.dash.token_file import read_token
from rlgpt.dash.watched_runs import WatchedRuns
from rlgpt.refused import Refused
from rlgpt.runs import run_folder

PORT = 8420
_LAST_PORT = 65_535
_LATER = 20  # ports that are tried after the first, where none was asked for


def dash(wanted: str | None, port: int | None, host: str, token_file: str | None) -> int:
    """Show a run, and those beside it, in the browser. ``port`` None: the first free one from
    `PORT` on; 0: any. Raises Refused."""
    run = run_folder.find(wanted)
    token = "" if token_file is None else read_token(token_file)
    if not token and not loopback(host):
        raise Refused(
            f"--host {host} lets other machines in: give a token as well, --token-file FILE "
            "(docs/dash.md)"
        )
    listening = _listen(host, port)
    app = make_app(WatchedRuns(run), token, host)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    print(f"{run.name} is shown at {address}{f'?token={token}' if token else ''}", flush=True)
    print("Ctrl-C ends the page; the run goes on", flush=True)
    uvicorn.Server(server_config(app)).run(sockets=[listening])
    return 0


def server_config(app: Any, port: int = PORT) -> uvicorn.Config:
    """``port``: where no socket is given to the server."""
    return uvicorn.Config(
        app,
        port=port,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=4096,  # pages send nothing
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=3,
    )


def _listen(host: str, port: int | None) -> socket.socket:
    """Raises Refused where the address cannot be used."""
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise Refused(f"--port {port}: a port is 0 to {_LAST_PORT:,}; 0 is any that is free")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = range(PORT, PORT + _LATER) if port is None else [port]
    why = OSError("")
    for each in ports:
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, each))
            made.listen(128)
            return made
        except (OSError, OverflowError) as error:
            made.close()
            why = error
    tried = f"{ports[0]}" if len(ports) == 1 else f"{ports[0]} to {ports[-1]}"
    sentence = getattr(why, "strerror", None) or str(why)
    raise Refused(f"nothing can listen on {host}, port {tried} ({sentence}); try --port PORT")
