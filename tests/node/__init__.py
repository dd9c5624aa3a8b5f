"""Tests of what every node is."""
