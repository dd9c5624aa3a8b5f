"""Tests of the planner, the slow agent, the fast agent and the critic."""
