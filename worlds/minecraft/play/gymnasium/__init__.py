"""What policies see and do, as Gymnasium environments for any library of agents.

`sights.py` has what an agent sees, `suggestions.py` what it sees and does by default;
`flat_forms.py` and `vector.py` are the environments, `entry_points.py` what Gymnasium calls. The
ids: `nodes/common/running/gymnasium_registration.py`; the episodes:
`voxeldojo/environments/plays.py`.
"""
