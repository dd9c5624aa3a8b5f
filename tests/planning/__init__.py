"""Tests of goals, their plans, and the rulebook."""
