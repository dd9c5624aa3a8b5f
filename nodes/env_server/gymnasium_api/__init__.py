"""The embedded world as Gymnasium environments, for any agent outside this project.

`plays.py` has the episodes of a task, `sights.py` what an agent sees of them, `suggestions.py` what
it sees and does unless told otherwise; `dictionary.py`, `flat.py` and `vector.py` are the
environments, `making.py` puts them together. The ids: `nodes/gymnasium_registration.py`.
"""
