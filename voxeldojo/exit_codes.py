"""Exit codes of this package's commands."""

FAILED = 1
REFUSED = 2
"""Bad arguments, or something is missing: one sentence is on standard error."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it: 128 and the signal's number."""
