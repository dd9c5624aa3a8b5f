"""The page of `rlgpt dash` in headless Chromium: python -m benchmarks.dash

A run with a curve of a million points and ten of a hundred thousand: seconds from opening the
address until the curve is drawn, with a server that has yet to read the files and with one that
has; milliseconds a frame while the wheel zooms in and out, and until the finer curve is there. Then
a hundred updates a second: how many are shown, and how late.
"""

import argparse
import json
import struct
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

import msgspec
import numpy as np

from benchmarks.arguments import positive
from rlgpt.runs.launches import LaunchRecord
from rlgpt.runs.run_folder import Lock
from tests.dash.browser import Browser
from tests.dash.dash_served import served

TAGS = {
    "episode/success_rate": 1.0, "episode/return": 0.1, "episode/length": 0.1,
    "policy/entropy": 0.1, "policy/kl": 0.1, "policy/clip_fraction": 0.1, "loss/objective": 0.1,
    "loss/critic": 0.1, "critic/explained_variance": 0.1, "speed/steps_per_second": 0.1,
    "policy/clone_kl": 0.1,
}  # fmt: skip
"""Curves, and how many of the points each has."""
FIRST = 1 << 21  # steps from here on to 2 ** 28 are four bytes long

DRAWN = """new Promise((done) => {
  const look = () => {
    const shown = rlgptPage.shown?.charts?.get('episode/success_rate');
    if (shown && document.querySelector('.charts .wide canvas')) done(performance.now());
    else requestAnimationFrame(look);
  };
  look();
})"""
ZOOM = """new Promise((done) => {
  const over = document.querySelector('.charts .wide .u-over');
  const box = over.getBoundingClientRect();
  const frames = [];
  let before = null, number = 0;
  const turn = (now) => {
    if (before !== null) frames.push(now - before);
    before = now;
    if (number === 120) { done(frames); return; }
    over.dispatchEvent(new WheelEvent('wheel', {
      bubbles: true, cancelable: true, deltaY: number++ < 70 ? -1 : 1,
      clientX: box.left + 0.6 * box.width, clientY: box.top + 50,
    }));
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
})"""
UPDATES = """(() => {
  window.late = [];
  const doing = document.querySelector('.doing');
  new MutationObserver(() => {
    const sent = Number(doing.innerText);
    if (sent) window.late.push(Date.now() - sent);
  }).observe(doing, { childList: true, characterData: true, subtree: true });
})()"""


def records(tag: str, count: int, seed: int) -> bytes:
    """Events as TensorBoard writes them, without their checksums, which ours does not read."""
    name = tag.encode()
    value = b"\x0a" + bytes([len(name)]) + name + b"\x15" + bytes(4)
    summary = b"\x0a" + bytes([len(value)]) + value
    event = b"\x09" + bytes(8) + b"\x10" + bytes(4) + b"\x2a" + bytes([len(summary)]) + summary
    rows = np.zeros((count, 16 + len(event)), np.uint8)
    rows[:] = np.frombuffer(struct.pack("<Q", len(event)) + bytes(4) + event + bytes(4), np.uint8)
    random = np.random.default_rng(seed)
    values = (1 - np.exp(-np.arange(count) / count * 3) + random.normal(0, 0.05, count)).clip(0, 1)
    rows[:, 13:21] = np.frombuffer((1.7e9 + np.arange(count) * 0.1).tobytes(), np.uint8).reshape(
        count, 8
    )
    steps = FIRST + np.arange(count) * 100
    for byte in range(4):
        rows[:, 22 + byte] = steps >> (7 * byte) & 0x7F | (0x80 if byte < 3 else 0)
    rows[:, len(event) + 8 : len(event) + 12] = np.frombuffer(
        values.astype("<f4").tobytes(), np.uint8
    ).reshape(count, 4)
    return rows.tobytes()


def make_run(run: Path, points: int) -> None:
    folder = run / "learner" / "tensorboard" / "goal+train"
    folder.mkdir(parents=True)
    (run / "config.yaml").write_text("name: large\nnodes: {learner: {}}\n")
    record = LaunchRecord(began=time.time())
    (run / "launches.json").write_bytes(msgspec.json.encode([record]))
    with (folder / "events.out.tfevents.1").open("wb") as file:
        for place, (tag, share) in enumerate(TAGS.items()):
            file.write(records(tag, int(points * share), place))


def spread(values: list[float]) -> dict[str, float]:
    cuts = quantiles(values, n=100, method="inclusive")
    return {"p50": round(cuts[49], 1), "p95": round(cuts[94], 1), "p99": round(cuts[98], 1)}


def measure(points: int, updates: int) -> dict[str, Any]:
    found: dict[str, Any] = {"points": points}
    with tempfile.TemporaryDirectory(prefix="rlgpt-") as place:
        run = Path(place) / "runs" / "large"
        make_run(run, points)
        with Browser() as browser, served(run) as page:
            for what in ("cold", "warm"):
                browser.begin()
                browser.open(f"{page.address}/#/large/learning")
                browser.wait("typeof rlgptPage !== 'undefined'")
                found[f"first_paint_{what}_s"] = round(browser.run(DRAWN) / 1e3, 2)
            time.sleep(2.0)  # the smaller charts
            found["zoom_frame_ms"] = spread(browser.run(ZOOM))
            status = page.json(
                "/api/runs/large/points?tag=episode/success_rate&policy=goal%2Btrain&columns=1000"
            )
            found["points_sent"] = len(status["series"][0]["x"])
            found["updates"] = _updates(browser, page, run, updates)
            found["errors"] = browser.errors
    return found


def _updates(browser: Browser, page: Any, run: Path, count: int) -> dict[str, Any]:
    with Lock(run):  # so it is shown as running
        browser.open(f"{page.address}/#/large/overview")
        browser.wait("rlgptPage.connection?.states.run?.kind === 'running'")
        browser.wait("!!document.querySelector('.now:not([hidden])')")
        browser.run(UPDATES)
        watched = page.runs.get("large")
        began = time.monotonic()
        for number in range(count):
            time.sleep(max(began + number * 0.01 - time.monotonic(), 0.0))
            watched.follower.show("working", {"activity": f"{time.time() * 1e3:.0f}"})
        seconds = time.monotonic() - began
        time.sleep(1.0)
        late = browser.run("window.late")
    return {
        "sent_a_second": round(count / seconds),
        "shown": f"{len(late)} of {count}",
        "late_ms": spread(late),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=positive, default=1_000_000)
    parser.add_argument("--updates", type=positive, default=800)
    given = parser.parse_args()
    print(json.dumps(measure(given.points, given.updates), indent=1))


if __name__ == "__main__":
    main()
