"""Builds the site of the docs: python -m docs.site [FOLDER], from `make docs`.

Stages the pages, makes the reference from the code, and runs Sphinx over it all with warnings as
errors, without a network.
"""

import argparse
import sys
from pathlib import Path

from docs.site import api_page, commands_page, launch_page, messages_page
from docs.site.staged_pages import ROOT, stage

REFERENCE = {
    "commands.md": commands_page.page,
    "messages.md": messages_page.page,
    "launch_keys.md": launch_page.page,
    "python.md": api_page.page,
}


def build(folder: Path) -> int:
    """Into ``folder/html``, from ``folder/source``; Sphinx's exit code."""
    from sphinx.cmd.build import build_main

    source = folder / "source"
    stage(source)
    (source / "reference").mkdir()
    for name, page in REFERENCE.items():
        (source / "reference" / name).write_text(page(), "utf-8")
    return build_main(
        ["-b", "html", "-W", "--keep-going", "-q", "-d", str(folder / "trees"), str(source),
         str(folder / "html")]
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.site", description="Build the site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    code = build(parser.parse_args().folder.resolve())
    if not code:
        print(parser.parse_args().folder / "html" / "index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
