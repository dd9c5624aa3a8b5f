"""The world as Gymnasium environments, single and vectorised.

`plays.py` has the episodes of a task, `dictionary.py` and `vector.py` are the environments,
`spaces.py` their spaces, `entry_points.py` what Gymnasium calls, `registration.py` the ids, and
`checked_arguments.py` checks seeds, actions and options.
"""
