"""The embedded world as Gymnasium environments, for any agent outside this project.

gymnasium.make("rlgpt/HarvestLog-v0")
gymnasium.make_vec("rlgpt/HarvestLog-v0", num_envs=64, vectorization_mode="vector_entry_point")
"""

import gymnasium

ID = "rlgpt/HarvestLog-v0"
HORIZON = 1000


def register() -> None:
    """Makes the environments known to Gymnasium. Called by its plug-in loader; more than once is
    fine."""
    if ID in gymnasium.registry:
        return
    gymnasium.register(
        id=ID,
        entry_point="nodes.env_server.gymnasium_environments:HarvestEnvironment",
        vector_entry_point="nodes.env_server.gymnasium_environments:HarvestVector",
        max_episode_steps=HORIZON,
        # The space of the dictionary form holds arrays of names, which the checker cannot know.
        disable_env_checker=True,
    )
