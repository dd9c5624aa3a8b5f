"""One vLLM that several runs use: served by a command, found by the nodes in its folder."""
