"""The pages of the Python interface: the modules that others may build on, by autodoc."""

MODULES = {
    "A run from Python": [
        "rlgpt",
        "rlgpt.connecting",
        "rlgpt.profiling",
        "rlgpt.profiling.time_account",
    ],
    "Nodes": ["nodes.node", "nodes.testing", "nodes.times", "nodes.config"],
    "Messages and the bus": ["messages.interface", "messages.bus.bus", "messages.bus.errors"],
    "Games": ["worlds.card", "worlds.play", "worlds.registry"],
    "The embedded world": ["voxeldojo", "voxeldojo.world_interface", "voxeldojo.minedojo_api"],
}


def page() -> str:
    """Markdown: an rST block for each module, which autodoc fills."""
    parts = ["# Python\n", "Made from the docstrings. What is not here may change at any time.\n"]
    for title, modules in MODULES.items():
        parts.append(f"## {title}\n")
        for module in modules:
            parts.append(f"### {module}\n")
            parts.append(
                "```{eval-rst}\n"
                f".. automodule:: {module}\n   :members:\n   :show-inheritance:\n```\n"
            )
    return "\n".join(parts)
