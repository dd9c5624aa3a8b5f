"""The embedded world as Gymnasium environments, for any agent outside this project.

Gymnasium imports this module itself where its name stands before the environment's:

gymnasium.make("nodes.env_server.gymnasium_registration:rlgpt/HarvestLog-v0")

Once it has been imported, ``"rlgpt/HarvestLog-v0"`` is enough.
"""

import gymnasium

ID = "rlgpt/HarvestLog-v0"
HORIZON = 1000

if ID not in gymnasium.registry:
    gymnasium.register(
        id=ID,
        entry_point="nodes.env_server.gymnasium_environments:HarvestEnvironment",
        vector_entry_point="nodes.env_server.gymnasium_environments:HarvestVector",
        max_episode_steps=HORIZON,
        # The space of the dictionary form holds arrays of names, which the checker cannot know.
        disable_env_checker=True,
    )
