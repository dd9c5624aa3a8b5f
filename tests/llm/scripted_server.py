"""The llm node as a process, and the server that it asks: one that answers as a test scripts it."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from messages.bus import Bus
from messages.chat import (
    ASK,
    Ask,
    ChatMessage,
    PlanQuestion,
    Question,
)
from nodes.common.running.exit_codes import REFUSED
from tests.agent_stack import TASK, AgentProcess
from tests.bus_processes import PATIENCE, ROOT

GOOD = json.dumps(
    {"subtasks": [{"name": "dig", "success": {"kind": "have", "name": "log", "quantity": 1}}]}
)
QUESTION = PlanQuestion(task=TASK)
HURRY = 2.0
"""Seconds that the node waits for a reply where one does not come: a busy machine needs a while
for those that do."""
Answers = Callable[[BaseHTTPRequestHandler], None]


def says(text: str, finish: str = "stop") -> Answers:
    """A well-formed completion with this text."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        body = {
            "choices": [{"message": {"content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 5},
        }
        send(handler, 200, json.dumps(body))

    return respond


def fails(status: int, **headers: str) -> Answers:
    """``headers``: further ones, with _ in place of -."""
    return lambda handler: send(handler, status, "out of order", **headers)


def sends(body: str) -> Answers:
    return lambda handler: send(handler, 200, body)


def hangs(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2 * HURRY)


def breaks_off(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.close_connection = True


def send(handler: BaseHTTPRequestHandler, status: int, body: str, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body.encode())))
    handler.end_headers()
    handler.wfile.write(body.encode())


class Server:
    """Gives the answers of a script in order, then the last one for ever."""

    def __init__(self, *script: Answers) -> None:
        self.requests: list[dict[str, Any]] = []
        self.script: Answers | None = None  # in place of the script
        self.headers: list[dict[str, str]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                server.requests.append(json.loads(self.rfile.read(length)))
                server.headers.append(dict(self.headers))
                step = script[min(len(server.requests), len(script)) - 1]
                (server.script or step)(self)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class Setting:
    """A run folder with the llm node, asked by a bus."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.bus = Bus(run)
        self.llm: AgentProcess | None = None
        self.server: Server | None = None

    def start(self, *script: Answers, repairs: int = 4, **profile: Any) -> AgentProcess:
        self.server = Server(*script)
        self.configure(
            {
                "kind": "openai",
                "url": self.server.url,
                "model": "toy",
                "timeout": PATIENCE,
                **profile,
            },
            repairs=repairs,
        )
        self.llm = AgentProcess("llm", self.run, TOY_KEY="secret")
        return self.llm

    def configure(self, profile: dict[str, Any], **parameters: Any) -> None:
        parameters = {"profile": profile, **parameters}
        config = {"name": "test", "nodes": {"llm": {"parameters": parameters}}}
        (self.run / "config.yaml").write_text(yaml.safe_dump(config))

    def ask(self, id: str = "q", question: Question = QUESTION) -> Any:
        prompt = [
            ChatMessage(role="system", content="Plan."),
            ChatMessage(role="user", content="A log."),
        ]
        request = Ask(id=id, agent="planner", question=question, prompt=prompt)
        return self.bus.call(ASK, request, timeout=PATIENCE)

    def close(self) -> None:
        self.bus.close()
        if self.llm is not None:
            self.llm.kill()
        if self.server is not None:
            self.server.close()


def lines(run: Path) -> list[dict[str, Any]]:
    text = (run / "llm" / "transcript.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def refusal(run: Path, code: int = REFUSED) -> str:
    """The one line that the node says which ends at its start."""
    ended = subprocess.run(
        [sys.executable, "-m", "nodes.llm", "--run", str(run)],
        cwd=ROOT,
        env={**os.environ, "CUT_KEY": "sk-1\n"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == code
    (said,) = ended.stderr.strip().splitlines()
    return said
