"""The llm node: asked by the agents, answers typed questions through one of several backends."""
