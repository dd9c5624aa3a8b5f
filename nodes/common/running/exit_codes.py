"""How a process ends, be it a node or a command: the one table of exit codes."""

FAILED = 1
"""The node failed after it had begun, and a retry may succeed: a supervisor starts such a node
again."""
REFUSED = 2
"""The command or the configuration is invalid. Only the user can fix that."""
ALREADY_RUNNING = 3
"""Another process is this node of this run."""
UNUSABLE_FILE = 4
"""A file of the node in the run folder is damaged, or cannot be read or written. Only the user can
fix that, but not in the configuration."""
HOST_LOST = 5
"""The node's cluster host was lost, with the results there."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it: 128 and the signal's number."""
