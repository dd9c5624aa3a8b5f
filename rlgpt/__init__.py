"""RL-GPT. Importing it registers the embedded world's environments with Gymnasium:

import gymnasium
import rlgpt

environment = gymnasium.make("rlgpt/HarvestLog-features-v0")
"""

from nodes.gymnasium_registration import register

register()
