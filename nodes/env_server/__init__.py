"""The env server node."""
