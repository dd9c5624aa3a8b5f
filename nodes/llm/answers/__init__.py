"""Answers: their schemas and bounds, how one is found in what a model wrote, and repairs."""
