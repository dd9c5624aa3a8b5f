"""Tests of the docs, the names and the layout of the project itself."""
