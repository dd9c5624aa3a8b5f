"""Speaks like ``vllm serve``, for tests of all that is about a server but its model.

Environment: FAKE_ENDS (it says this and ends at once), FAKE_PIECE_SECONDS (pause between pieces of
an answer), FAKE_THINKING (said as reasoning first), FAKE_NO_SLEEP (the sleep route fails).
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def least(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The smallest value that is valid by a schema of ours."""
    if "$ref" in schema:
        return least(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return least(schema["anyOf"][0], root)
    kind = schema["type"]
    if kind == "object":
        return {key: least(part, root) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [least(schema["items"], root)]
    return {"string": "log", "integer": 1, "number": 1.0, "boolean": False}[kind]


class State:
    awake = threading.Event()
    running = 0
    answered = 0
    lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/health":
            self.send(200, "")
        elif self.path == "/is_sleeping":
            self.send(200, json.dumps({"is_sleeping": not State.awake.is_set()}))
        elif self.path == "/metrics":
            self.send(
                200,
                f'vllm:num_requests_running{{engine="0"}} {State.running}\n'
                f'vllm:prompt_tokens_total{{engine="0"}} {7 * State.answered}\n',
            )
        else:
            self.send(404, "")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/sleep"):
            if os.environ.get("FAKE_NO_SLEEP"):
                self.send(500, "cannot sleep")
                return
            State.awake.clear()
            self.send(200, "")
        elif self.path == "/wake_up":
            State.awake.set()
            self.send(200, "")
        else:
            State.awake.wait()
            self.complete(json.loads(body))

    def complete(self, request: dict[str, Any]) -> None:
        with State.lock:
            State.running += 1
        schema = request["response_format"]["json_schema"]["schema"]
        text = json.dumps(least(schema, schema))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        if thinking := os.environ.get("FAKE_THINKING"):
            self.event({"choices": [{"delta": {"reasoning_content": thinking}}]})
        for start in range(0, len(text), 8):
            self.event({"choices": [{"delta": {"content": text[start : start + 8]}}]})
            time.sleep(float(os.environ.get("FAKE_PIECE_SECONDS", "0")))
        self.event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self.event({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True
        with State.lock:
            State.running -= 1
            State.answered += 1

    def event(self, body: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())
        self.wfile.flush()

    def send(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("serve")
    parser.add_argument("weights")
    parser.add_argument("--port", type=int)
    parser.parse_known_args()
    if said := os.environ.get("FAKE_ENDS"):
        sys.exit(said)
    State.awake.set()
    # Stands for the engine's processes, which a server that is killed leaves behind.
    subprocess.Popen(["sleep", "1000"])
    port = parser.parse_known_args()[0].port
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    main()
