"""Limits of steps for tasks that do not name one."""

TASK_HORIZON = 3000
"""The horizon of MineDojo's tasks, which have no limit."""
PLAYTHROUGH_STEPS = 8 * 3600 * 4
"""MineDojo's own limit for playthrough: eight hours at four actions a second."""
