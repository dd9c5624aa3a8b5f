"""Commands that need no run: tasks, worlds, language models, and keys for several machines."""
