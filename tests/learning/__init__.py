"""Tests of the learner and of what it learns from."""
