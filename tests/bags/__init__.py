"""Tests of bags."""
