"""How a command of this package ends."""

FAILED = 1
REFUSED = 2
"""Bad arguments, or something that is not there: one sentence is on standard error."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it: 128 and the signal's number."""
