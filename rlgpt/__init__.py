"""RL-GPT. Importing it registers the embedded world's environments with Gymnasium:

import gymnasium
import rlgpt

environment = gymnasium.make("rlgpt/HarvestLog-features-v0")
"""

import runpy
from pathlib import Path

# By its path, for `nodes` may be another's.
runpy.run_path(str(Path(__file__).parent.parent / "nodes" / "own_packages.py"))["settle"]()

from nodes.gymnasium_registration import register  # noqa: E402

register()
