"""Parameters that several nodes share, or that change while a node runs."""
