"""Requests to a server: chat completions in bounded time, prompts that fit, pictures."""
