"""Rows of a measurement that takes hours, kept in a file: what it has is not measured again."""

import json
import sys
from pathlib import Path
from typing import Any


class KeptRows:
    """The rows of a file, and those that are added to it. ``settings``: what, besides the columns
    that name a row, decides what is measured.

    Raises:
        SystemExit: the file cannot be read, or its rows are of other settings.
    """

    def __init__(self, path: Path | None, settings: dict[str, Any]) -> None:
        self._path = path
        self._settings = settings
        self.rows: list[dict[str, Any]] = []
        text = "" if path is None else path.read_text("utf-8")
        if not text.strip():
            return
        try:
            self.rows = json.loads(text)
            others = [row for row in self.rows if row.get("settings") != settings]
        except (ValueError, AttributeError, TypeError):
            raise SystemExit(f"{path} is no file of kept rows") from None
        if others:
            raise SystemExit(
                f"{path} has rows of other settings, {others[0].get('settings')}; here they are "
                f"{settings}: use another file"
            )

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row, and print it to stderr."""
        row = {**row, "settings": self._settings}
        print(json.dumps(row), file=sys.stderr, flush=True)
        self.rows.append(row)
        if self._path is not None:
            self._path.write_text(json.dumps(self.rows, indent=1) + "\n")
