"""Run folders: making, finding and locking them."""

import os
import shlex
import shutil
import time
from pathlib import Path

from messages.bus.network.address import short_folder
from nodes.common.running.file_lock import held, take_lock
from nodes.config import ENV_SERVER, ConfigError, env_server_number, read_config
from rlgpt.refused import Refused

_LONGEST_PID = 20  # characters


def create(name: str, wanted: str | None) -> Path:
    """Make a new run folder, ``runs/<name>-<time>`` unless ``wanted`` names one. Raises Refused."""
    if wanted is not None:
        if not wanted:
            raise Refused("run= names no folder; write run=PATH")
        run = _named(wanted)
        if wanted.startswith("~") and os.path.expanduser(wanted) == wanted:
            home = Path(wanted).parts[0]
            raise Refused(
                f"run={wanted}: there is no home folder {home} (a folder of this "
                f"name in the working directory: run=./{wanted})"
            )
        if (run / "config.yaml").exists():
            with Lock(run):  # raises Refused if it is in use
                pass
            raise Refused(
                f"{run} already holds a run; `rlgpt resume {shlex.quote(wanted)}` goes on with it, "
                "or choose another folder"
            )
        _make(run, exist_ok=True)
        return run
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    for suffix in ("", *(f"-{i}" for i in range(2, 100))):
        run = Path("runs").absolute() / f"{stem}{suffix}"
        try:
            _make(run, exist_ok=False)
        except FileExistsError:  # two launches in the same second
            continue
        return run
    raise Refused(f"no free name for a run folder beside runs/{stem}")


def exists(wanted: str) -> bool:
    """Whether there is anything under the name of a run folder that a launch was given."""
    return os.path.lexists(_named(wanted))


def _named(wanted: str) -> Path:
    return Path(os.path.expanduser(wanted)).absolute()


def env_server_folders(run: Path) -> list[Path]:
    """The folders of all env servers that the run has had, the first one's, ``env_server``,
    first."""
    others = [
        (number, folder)
        for folder in run.glob(f"{ENV_SERVER}_*")
        if (number := env_server_number(folder.name))
    ]
    return [run / ENV_SERVER, *(folder for _, folder in sorted(others))]


def _make(run: Path, exist_ok: bool) -> None:
    if not is_text(run):
        raise Refused(
            f"the path of the run folder {run} is not in UTF-8; choose another with run=PATH, or "
            "rename what is not"
        )
    try:
        run.mkdir(parents=True, exist_ok=exist_ok)
    except FileExistsError:
        if exist_ok:
            raise Refused(f"{run} is not a folder") from None
        raise
    except OSError as error:
        raise Refused(
            f"cannot make the run folder {run} ({error.strerror}); choose another with run=PATH"
        ) from None
    if not os.access(run, os.W_OK | os.X_OK):
        raise Refused(f"the run folder {run} cannot be written to; choose another with run=PATH")


def point_latest(run: Path) -> None:
    """Make ``runs/latest`` a link to ``run``, if that is possible: it is only a convenience."""
    runs = Path("runs").absolute()
    draft = runs / f".latest-{os.getpid()}"
    try:
        draft.symlink_to(run.name if run.parent == runs else run)
        draft.replace(runs / "latest")
    except OSError:
        if os.access(runs, os.W_OK):
            draft.unlink(missing_ok=True)


def latest() -> Path | None:
    """The run that ``runs/latest`` links to."""
    link = Path("runs/latest")
    return link.resolve() if link.is_symlink() and link.exists() else None


def remove(run: Path, before: Path | None) -> None:
    """Remove a run folder in which nothing was done, and link ``runs/latest`` to the run that was
    the latest ``before``."""
    shutil.rmtree(run, ignore_errors=True)
    if before is not None:
        point_latest(before)
    elif (link := Path("runs/latest")).is_symlink() and not link.exists():
        link.unlink(missing_ok=True)


def find(wanted: str | None) -> Path:
    """The run folder that a command is about: a path, a name below ``runs/``, or the newest run.
    Raises Refused, also where its config.yaml is no launch's, or its path no text."""
    run = _find(wanted)
    if not is_text(run):
        raise Refused(f"the path of the run folder {run} is not in UTF-8: rename what is not")
    try:
        read_config(run)
    except ConfigError as error:
        raise Refused(str(error)) from None
    return run


def is_text(path: Path) -> bool:
    """Whether a path is in UTF-8: JSON, messages, sockets and curves take no other."""
    return not any("\ud800" <= each <= "\udfff" for each in str(path))


def _find(wanted: str | None) -> Path:
    if wanted is not None:
        candidates = [Path(os.path.expanduser(wanted)), Path("runs") / wanted]
        for candidate in candidates:
            if (candidate / "config.yaml").is_file():
                return candidate.resolve()
        there = next((each for each in candidates if each.exists()), None)
        if there is None:
            raise Refused(
                f"there is no run folder {wanted} (looked here and in runs/); `rlgpt runs` lists "
                "them"
            )
        lacks = "it has no config.yaml" if there.is_dir() else "it is a file"
        raise Refused(f"{wanted} is no run folder: {lacks}; `rlgpt runs` lists them")
    latest = Path("runs/latest")
    if (latest / "config.yaml").is_file():
        return latest.resolve()
    folders = [p.parent for p in Path("runs").glob("*/config.yaml")]
    if not folders:
        raise Refused(
            "there is no run in ./runs; start one with `rlgpt launch`, or name a run folder"
        )
    return max(folders, key=lambda p: p.stat().st_mtime).resolve()


class Lock:
    """Held by the one launcher of a run folder until its process ends."""

    def __init__(self, run: Path) -> None:
        try:
            self._file = os.open(run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise _unwritable(run, error) from None
        if not take_lock(self._file):
            os.close(self._file)
            holder = launcher_process(run)
            by = f" by process {holder}" if holder else ""
            raise Refused(f"{run} is already launched{by}; stop that launch first")
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            os.close(self._file)
            raise _unwritable(run, error) from None

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._file)


def _unwritable(run: Path, error: OSError) -> Refused:
    return Refused(f"cannot write to the run folder {run} ({error.strerror})")


def remove_short_sockets(run: Path) -> None:
    """Remove what is left outside the run folder: the sockets, where its path is too long for them.
    To be called by the launcher at its end; a node that still runs on its own keeps its sockets."""
    folder = short_folder(run.resolve())
    try:
        for socket in folder.iterdir():
            if not held(run / socket.stem / "lock"):
                socket.unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        pass  # mostly there is none


def launched(run: Path) -> bool:
    """Whether a launcher holds ``run`` right now."""
    return held(run / "lock")


class LaunchEnd:
    """The end of a run's launch, of one that there is now or that begins later. Without any, as
    where single nodes were started, it never comes. Make it before anything is asked of the nodes:
    they may take their time to answer, and the launch may end meanwhile."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._launched = launched(run)

    def has_come(self) -> bool:
        goes_on = launched(self._run)
        self._launched = self._launched or goes_on
        return self._launched and not goes_on


def launcher_process(run: Path) -> int:
    """The process that launched ``run`` last, by its lock; 0 if it is not known."""
    try:
        text = (run / "lock").read_bytes().strip()
    except OSError:
        return 0
    return int(text) if len(text) < _LONGEST_PID and text.isdigit() else 0


def running_nodes(run: Path) -> list[str]:
    """The nodes of ``run`` that a process holds right now, with a launcher or without one."""
    return sorted(path.parent.name for path in run.glob("*/lock") if held(path))
