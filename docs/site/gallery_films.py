"""Makes the gallery's films and pictures: `make gallery`, python -m docs.site.gallery_films [RUN].

Films are those of a run's iterations that the page shows, made smaller: every second frame. Without
RUN the demo is launched first. Pictures of the world are drawn by `voxeldojo view --gallery`.
"""

import argparse
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av

from docs.site.staged_pages import ROOT

DOCS = ROOT / "docs"
_RATE = 10  # frames a second
_QUALITY = "30"  # x264's: higher is smaller


def smaller(film: Path, out: Path) -> None:
    """Every second frame of a film."""
    with av.open(str(film)) as source, av.open(str(out), "w") as target:
        stream = None
        for number, frame in enumerate(source.decode(video=0)):
            if number % 2:
                continue
            if stream is None:
                stream = target.add_stream("libx264", rate=_RATE, options={"crf": _QUALITY})
                stream.width, stream.height = frame.width, frame.height
                stream.pix_fmt = "yuv420p"
                stream.time_base = Fraction(1, _RATE)
            frame.pts, frame.time_base = number // 2, Fraction(1, _RATE)
            target.mux(stream.encode(frame))
        if stream is not None:
            target.mux(stream.encode())


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the gallery's films and pictures.")
    parser.add_argument("run", nargs="?", type=Path, help="a run folder; default: launch the demo")
    run = parser.parse_args().run
    if run is None:
        run = ROOT / "build" / "gallery"
        shutil.rmtree(run, ignore_errors=True)  # of the last time: a launch wants a new folder
        command = [
            sys.executable,
            "-m",
            "rlgpt.main",
            "launch",
            "harvest_log",
            "llm=paper_example",
            f"run={run}",
        ]
        if code := subprocess.call(command, cwd=ROOT):
            return code
    (DOCS / "films").mkdir(exist_ok=True)
    films = sorted((run / "env_server" / "videos").glob("*+iteration-*+evaluate+*.mp4"))
    if not films:
        print(f"{run} has no film of an evaluation", file=sys.stderr)
        return 1
    page = (DOCS / "gallery.md").read_text("utf-8")
    for number, film in enumerate(films):
        name = f"harvest_log_{number}.mp4"
        if f"films/{name}" in page:
            smaller(film, DOCS / "films" / name)
    view = [sys.executable, "-m", "voxeldojo", "view", "--gallery", str(DOCS / "pictures")]
    return subprocess.call(view, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
