"""The commands, a file for each word after ``rlgpt``: its arguments and its function.

What a command needs is imported when it is run, so that none waits for another's libraries.
"""
