"""The token that a page beyond this machine asks for, from a file."""

import os
import re
import stat
from pathlib import Path

from rlgpt.composing.user_files import check_regular
from rlgpt.refused import Refused

SHORTEST = 20  # characters


def read_token(path: str) -> str:
    """Raises Refused: there is no such file, others can read it, or what it holds is no token."""
    file = Path(os.path.expanduser(path))
    check_regular(file)
    try:
        mode = file.stat().st_mode
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise Refused(
            f"--token-file {path} cannot be read ({why}); make one: "
            f"(umask 077; openssl rand -hex 20 > {path})"
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Refused(f"--token-file {path} can be read by other users: chmod 600 {path}")
    if len(text) < SHORTEST or not re.fullmatch(r"[A-Za-z0-9._~-]+", text):
        raise Refused(
            f"--token-file {path} holds no token: {SHORTEST} characters or more, of letters, "
            "digits, `-`, `_`, `.` and `~`, in one line"
        )
    return text
