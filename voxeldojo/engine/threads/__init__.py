"""Work on a batch of worlds in several threads.

`thread_crew.py` shares a task among threads, `shared_stepping.py` a step of the batch.
`world_maker.py` makes the next worlds in a thread of its own, and `packed_worlds.py` stores them.
"""
