"""The llm node: answers the agents' typed questions through one of several backends."""
