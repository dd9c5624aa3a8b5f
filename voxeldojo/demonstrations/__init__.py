"""Scripted players that show, through actions alone, that a task can be done in the embedded world.

They look at the world's arrays, which a policy cannot: what they prove is that the world allows it.
"""
