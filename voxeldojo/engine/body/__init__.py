"""The player's body: how it moves, and what keeps it alive."""
