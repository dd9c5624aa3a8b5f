"""Stages are played: in tryouts, evaluations and performances, on seeds for each purpose."""
