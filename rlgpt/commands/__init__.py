"""The commands, a file for each word after ``rlgpt``: its arguments, and what they come to.

What a command needs is imported when it is run, so that none waits for another's libraries.
"""
