"""Scripted players that show, through actions alone, that a task can be done in the embedded world.

They read the world's arrays, which a policy cannot. So they prove that the world allows a task, and
not how hard it is for a policy.
"""
