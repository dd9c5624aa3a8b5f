"""Bags: files of recorded messages, in MCAP."""
