"""Tests of the llm node, of its servers, and of weights and their training."""
