"""Supervised fine-tuning: questions with checked answers teach a model what the agents want."""
