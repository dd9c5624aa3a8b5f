"""The planner node: a goal becomes ordered subtasks, each handed to the slow agent."""
