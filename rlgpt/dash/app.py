"""The addresses of the page: its files, what its panels show as JSON, and the websocket."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from messages.undecodable import UNDECODABLE
from nodes.common.goals.goal_ids import file_name
from rlgpt.dash import films, live_socket
from rlgpt.dash.access import Access
from rlgpt.dash.controls import AnswerChoice, BreakpointChange, CannotChange, ParameterChange
from rlgpt.dash.follow.follower import Follower
from rlgpt.dash.follow.sight_watch import SightWatch
from rlgpt.dash.replays import Replays
from rlgpt.dash.views import episode_view, plan_view, program_view, time_view
from rlgpt.dash.watched_runs import WatchedRun, WatchedRuns
from rlgpt.refused import Refused
from rlgpt.runs.comparing import compared_runs

STATIC = Path(__file__).with_name("static")
_MOST_COMPARED = 8
_LARGEST = 1 << 20  # bytes of a request's body
_ENCODER = msgspec.json.Encoder()
_NO_STORE = {"cache-control": "no-store"}

Answer = Callable[[WatchedRun, Request], Any]
Respond = Callable[[Request], Any]


class Dash:
    """What the addresses answer."""

    def __init__(self, runs: WatchedRuns) -> None:
        self.runs = runs
        self.replays = Replays()
        self._pages = 0

    # ---- of all runs

    async def run_list(self, _: Request) -> Response:
        lines = await run_in_threadpool(self.runs.lines)
        return _json({"runs": lines, "first": self.runs.first.name})

    async def compare(self, request: Request) -> Response:
        names = request.query_params.getlist("run")
        known = self.runs.folders()
        unknown = [name for name in names if name not in known]
        if unknown or not 2 <= len(set(names)) <= _MOST_COMPARED:
            raise HTTPException(404, f"name two to {_MOST_COMPARED} runs that there are")
        folders = [known[name] for name in dict.fromkeys(names)]
        return _json(await run_in_threadpool(compared_runs, folders))

    async def replay(self, request: Request) -> Response:
        found = self.replays.get(_number(request.path_params["number"], 0))
        if found is None:
            raise HTTPException(404, "there is no such replay")
        return _json(found)

    # ---- of one

    def of_run(self, answer: Answer) -> Respond:
        """An address below /api/runs/NAME. ``answer`` runs in a thread: it may read files."""

        async def respond(request: Request) -> Response:
            watched = await self._watched(request)
            return await self._answered(lambda: answer(watched, request))

        return respond

    def change(self, kind: type[Any], change: Callable[[WatchedRun, Any], Any]) -> Respond:
        """Respond to a request whose body has a ``kind`` as JSON, which ``change`` is given."""

        async def respond(request: Request) -> Response:
            watched = await self._watched(request)
            body = b""
            try:
                async for part in request.stream():
                    body += part
                    if len(body) > _LARGEST:
                        raise HTTPException(413, f"at most {_LARGEST >> 10} KiB can be sent")
            except ClientDisconnect:  # no one is there to read the answer
                return Response(status_code=400)
            try:
                wanted = msgspec.json.decode(body, type=kind)
            except UNDECODABLE as error:
                raise HTTPException(400, f"this cannot be read: {error}") from error
            return await self._answered(lambda: change(watched, wanted))

        return respond

    @staticmethod
    async def _answered(answer: Callable[[], Any]) -> Response:
        try:
            found = await run_in_threadpool(answer)
        except CannotChange as error:
            raise HTTPException(409, str(error)) from error
        if found is None:
            raise HTTPException(404, "there is nothing of that name")
        return found if isinstance(found, Response) else _json(found)

    def play_again(self, watched: WatchedRun, request: Request) -> Any:
        seed = _number(request.query_params.get("seed"), -1)
        play = request.query_params.get("play", "")
        if not episode_view.rows_with_seed(watched.run, seed, play):
            raise HTTPException(404, "there is no such episode")
        film = f"{file_name(f'{play}/{seed}')}.mp4"
        made = self.replays.add(watched.run, play, seed, film)
        if made is None:
            raise HTTPException(429, "other episodes wait to be played; try again later")
        return made

    async def live(self, socket: WebSocket) -> None:
        await self._stream(socket, lambda watched: watched.follower)

    async def sight(self, socket: WebSocket) -> None:
        await self._stream(socket, lambda watched: watched.sight)

    async def _stream(
        self, socket: WebSocket, source: Callable[[WatchedRun], Follower | SightWatch]
    ) -> None:
        watched = await run_in_threadpool(self.runs.get, socket.path_params["name"])
        if watched is None or self._pages >= live_socket.MOST:
            await socket.close(1008)
            return
        self._pages += 1
        try:
            await live_socket.stream(socket, source(watched))
        finally:
            self._pages -= 1

    async def _watched(self, request: Request) -> WatchedRun:
        found = await run_in_threadpool(self.runs.get, request.path_params["name"])
        if found is None:
            raise HTTPException(404, "there is no such run")
        return found

    def close(self) -> None:
        self.replays.close()
        self.runs.close()


def make_app(runs: WatchedRuns, token: str = "", host: str = "127.0.0.1") -> Starlette:
    """See `Access` for ``token`` and ``host``."""
    dash = Dash(runs)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(dash.close)

    def run_route(path: str, answer: Answer, method: str = "GET") -> Route:
        return Route(f"/api/runs/{{name}}/{path}", dash.of_run(answer), methods=[method])

    def change_route(path: str, kind: type[Any], change: Callable[[WatchedRun, Any], Any]) -> Route:
        return Route(f"/api/runs/{{name}}/{path}", dash.change(kind, change), methods=["POST"])

    routes = [
        Route("/", _page),
        Route("/api/runs", dash.run_list),
        Route("/api/compare", dash.compare),
        Route("/api/replays/{number}", dash.replay),
        run_route("plan", _plan),
        run_route("programs", lambda watched, _: program_view.programs(watched.run)),
        run_route("curves", _curves),
        run_route("points", _points),
        run_route("times", _times),
        run_route("memory", lambda watched, _: watched.follower.memory.columns()),
        run_route("log", _log),
        run_route("questions", _questions),
        run_route("questions/{number}", _question),
        run_route("episodes", _episodes),
        run_route("episode", _episode),
        run_route("episode/again", dash.play_again, "POST"),
        run_route("films", lambda w, r: films.listing(w.run, r.query_params.get("of") or None)),
        run_route("films/{kind}/{film}", _film),
        run_route("nodes/{node}/{what}", _control, "POST"),
        run_route("parameters", lambda watched, _: watched.controls.parameters()),
        change_route("parameters", ParameterChange, lambda w, c: w.controls.set_parameters(c)),
        run_route("breakpoints", lambda watched, _: watched.controls.breakpoints()),
        change_route("breakpoints", BreakpointChange, lambda w, c: w.controls.set_breakpoint(c)),
        run_route("held", _held),
        change_route("held", AnswerChoice, lambda w, c: w.controls.use_answer(c)),
        WebSocketRoute("/api/runs/{name}/live", dash.live),
        WebSocketRoute("/api/runs/{name}/sight", dash.sight),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Access, token=token, host=host)],
        exception_handlers={  # pyright: ignore[reportArgumentType]
            HTTPException: _failed,
            PermissionError: _closed,
            FileNotFoundError: _deleted,
        },
    )
    app.state.dash = dash
    return app


async def _page(_: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


async def _failed(_: Request, error: HTTPException) -> Response:
    return _json({"error": error.detail}, error.status_code)


async def _closed(_: Request, error: PermissionError) -> Response:
    return _json({"error": f"{error.filename or 'a file'} may not be read"}, 403)


async def _deleted(_: Request, error: FileNotFoundError) -> Response:
    return _json({"error": f"{error.filename or 'a file'} was deleted"}, 404)


def _json(value: Any, status: int = 200) -> Response:
    return Response(_ENCODER.encode(value), status, _NO_STORE, "application/json")


def _number(text: str | None, otherwise: int) -> int:
    """A number of an address; ``otherwise`` where there is none, or none that can be."""
    if text is None or len(text) > 18:
        return otherwise
    try:
        return int(text)
    except ValueError:
        return otherwise


def _plan(watched: WatchedRun, request: Request) -> Any:
    try:
        goal = request.query_params.get("goal") or None
        return plan_view.plan(watched.run, goal, watched.conversation)
    except Refused as error:
        raise HTTPException(404, str(error)) from error


def _curves(watched: WatchedRun, _: Request) -> Any:
    return watched.curves.lines(watched.follower.version("curves"))


def _points(watched: WatchedRun, request: Request) -> Any:
    query = request.query_params
    last = _number(query.get("last"), 2**62)
    return watched.curves.points(
        watched.follower.version("curves"),
        query.get("tag", ""),
        query.getlist("policy")[:50],
        float(_number(query.get("first"), 0)),
        float(last),
        _number(query.get("columns"), 800),
    )


def _times(watched: WatchedRun, _: Request) -> Any:
    curves = watched.curves.lines(watched.follower.version("curves"))
    return time_view.times(watched.run, curves, time.time(), watched.conversation)


def _log(watched: WatchedRun, request: Request) -> Any:
    query, log = request.query_params, watched.follower.log
    newest = log.newest
    entries = log.after(_number(query.get("after"), 0), 1000, query.get("of", log.id))
    # Of what is found meanwhile nothing is left out the next time, and nothing sent again.
    newest = entries[-1].number if entries else newest
    return {"entries": entries, "newest": newest, "of": log.id}


def _questions(watched: WatchedRun, request: Request) -> Any:
    query = request.query_params
    after = _number(query.get("after"), 0)
    return watched.conversation.questions(after, 500, query.get("of", ""))


def _question(watched: WatchedRun, request: Request) -> Any:
    return watched.conversation.one(_number(request.path_params["number"], 0))


def _episodes(watched: WatchedRun, request: Request) -> Any:
    query = request.query_params
    seed = query.get("seed")
    return episode_view.listing(
        watched.run,
        None if not seed else _number(seed, -1),
        query.get("ended") or None,
        query.get("of") or None,
        max(_number(query.get("first"), 0), 0),
        min(max(_number(query.get("most"), 50), 1), 500),
    )


def _episode(watched: WatchedRun, request: Request) -> Any:
    query = request.query_params
    return episode_view.one(
        watched.run, query.get("play", ""), _number(query.get("environment"), -1)
    )


def _film(watched: WatchedRun, request: Request) -> Any:
    path = films.find(watched.run, request.path_params["kind"], request.path_params["film"])
    return None if path is None else FileResponse(path, media_type="video/mp4")


def _control(watched: WatchedRun, request: Request) -> Any:
    what, node = request.path_params["what"], request.path_params["node"]
    if what not in ("pause", "continue", "step", "restart", "kill"):
        raise HTTPException(404, "a node can be paused, continued, stepped, restarted or killed")
    count = _number(request.query_params.get("count", "1"), 0)
    return watched.controls.control_node(what, node, count)


def _held(watched: WatchedRun, request: Request) -> Any:
    return watched.controls.held(request.query_params.get("id", ""))
