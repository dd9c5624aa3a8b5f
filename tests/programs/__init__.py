"""Tests of the language of coded actions and of the stock of programs."""
