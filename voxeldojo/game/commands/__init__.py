"""The chat commands of Minecraft 1.11.2 that MineDojo and PKU's MCEnv use.

`perform.py` runs a line of chat. `source.py` is the entity that gives a command, `meanings.py`
parses its words and `selectors.py` finds the entities that it names. Commands: `blocks.py`,
`carried_items.py`, `clock_and_weather.py`, `entities.py`, `execute.py` and `spreading.py`
(spreadplayers).
"""

from voxeldojo.game.commands.perform import perform

__all__ = ["perform"]
