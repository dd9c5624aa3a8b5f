"""docs/command_outputs.md has an output of every command."""

import re

from docs.site import commands_page
from docs.site.command_outputs import PAGE, definition
from rlgpt.command_line import command_parser


def test_every_command_is_typed_on_the_page_or_named_with_where_its_output_is() -> None:
    text = PAGE.read_text("utf-8")
    shown = re.findall(r"^\$ (rlgpt .*)$", text, re.MULTILINE)
    elsewhere = definition().elsewhere
    missing = [
        name
        for name, _, _ in commands_page.commands(command_parser())
        if name not in elsewhere
        and not any(line == name or line.startswith(f"{name} ") for line in shown)
    ]
    assert missing == []


def test_the_page_shows_what_its_definition_types() -> None:
    text = PAGE.read_text("utf-8")
    for part in definition().parts:
        assert f"## {part.heading}\n" in text
        for each in part.commands:
            if not each.hidden and not each.names:
                assert f"$ {each.type}\n" in text, each.type


def test_commands_without_an_output_here_name_a_page_that_has_it() -> None:
    for name, why in definition().elsewhere.items():
        (page,) = re.findall(r"\]\(([\w.]+)\)", why)
        text = (PAGE.parent / page).read_text("utf-8")
        assert name in text
