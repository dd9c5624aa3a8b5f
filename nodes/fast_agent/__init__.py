"""The fast agent node: the inner loop, which writes programs and training specs.

``fast_agent.py`` is the node, ``work.py`` a goal as all its parts work on it, ``implementing.py``
what all ways to implement a sub-action share: ``code_branch.py``, ``learning/`` (training specs and
policies), ``known_skills/``, and ``guard_making/`` for guards. ``playing/`` tries out, evaluates
and performs what they made.
"""
