"""Tests of commands that look into runs and stacks."""
