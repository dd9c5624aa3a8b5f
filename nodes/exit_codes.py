"""How a process ends, be it a node or a command: the one table of exit codes."""

FAILED = 1
"""It failed on its way, and may do better another time: a supervisor starts such a node again."""
REFUSED = 2
"""What was asked for, or the configuration, will not do. Only the user can set that right."""
ALREADY_RUNNING = 3
"""Another process is this node of this run."""
UNUSABLE_FILE = 4
"""A file that the node keeps in the run folder is damaged, or cannot be read or written. Only the
user can set that right, but not in the configuration."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it: 128 and the signal's number."""
