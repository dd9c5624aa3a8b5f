"""A headless Chromium for tests, driven by its DevTools protocol over a websocket."""

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

PROGRAM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
NONE = "no Chromium is installed"
STARTING = 60.0  # seconds
PATIENCE = 60.0


class Browser:
    """One tab. ``errors`` are what the page reported on its console and exceptions that it did not
    catch."""

    def __init__(self, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        assert PROGRAM is not None, NONE
        self._folder = Path(tempfile.mkdtemp(prefix="rlgpt-browser-"))
        self._process = subprocess.Popen(
            [
                PROGRAM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--mute-audio",
                "--remote-debugging-port=0",
                f"--window-size={width},{height}",
                f"--user-data-dir={self._folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._open = contextlib.ExitStack()
        self._socket: Any = None
        self._number = 0
        self.errors: list[str] = []
        try:
            connecting = connect(self._target(), max_size=None, open_timeout=STARTING)
            self._socket = self._open.enter_context(connecting)
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.send(f"{domain}.enable")
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self.send("Emulation.setDeviceMetricsOverride", **metrics)
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            self.send("Emulation.setEmulatedMedia", features=[scheme])
        except BaseException:
            self.close()
            raise

    def send(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol and wait for its result."""
        self._number += 1
        number = self._number
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def begin(self) -> None:
        """Leave the page that is shown, and forget its errors."""
        self.open("about:blank")
        self.wait("location.href === 'about:blank'")
        self.errors.clear()

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)

    def reload(self) -> None:
        self.send("Page.reload")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; promises are awaited."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = PATIENCE) -> Any:
        """Until an expression is true in the page; its value."""
        until = time.monotonic() + seconds
        while True:
            try:
                if found := self.run(f"(() => {{ return {script} }})()"):
                    return found
            except AssertionError:  # the page is being loaded
                pass
            assert time.monotonic() < until, f"never true: {script}; the page has: {self.text()}"
            time.sleep(0.05)

    def text(self) -> str:
        """All that can be read on the page."""
        return self.run("document.body ? document.body.innerText : ''") or ""

    def wait_text(self, words: str, seconds: float = PATIENCE) -> None:
        self.wait(f"document.body.innerText.includes({json.dumps(words)})", seconds)

    def click(self, selector: str) -> None:
        self.wait(f"!!document.querySelector({json.dumps(selector)})")
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def screenshot(self, path: Path) -> None:
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._open.close()
        for _ in range(20):  # its children write for a moment more
            shutil.rmtree(self._folder, ignore_errors=True)
            if not self._folder.exists():
                return
            time.sleep(0.1)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _target(self) -> str:
        """The address of its tab."""
        until = time.monotonic() + STARTING
        while time.monotonic() < until:
            try:
                port = (self._folder / "DevToolsActivePort").read_text().split()[0]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                    tabs = json.load(answer)
                return next(t["webSocketDebuggerUrl"] for t in tabs if t["type"] == "page")
            except (OSError, ValueError, IndexError, StopIteration):
                assert self._process.poll() is None, "Chromium ended"
                time.sleep(0.05)
        raise AssertionError("Chromium does not get ready")

    def _note(self, message: dict[str, Any]) -> None:
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.errors.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
