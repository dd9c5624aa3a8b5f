"""How many steps an episode of a task may take, where it needs a limit."""

TASK_HORIZON = 3000
"""Of MineDojo's tasks, which name none."""
PLAYTHROUGH_STEPS = 8 * 3600 * 4
"""MineDojo's own limit: eight hours of a beginner, four actions a second."""
