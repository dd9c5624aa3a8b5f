"""``engine=ray``: nodes, and the launches of a table, as processes on the hosts of a Ray cluster
(docs/ray.md).

Ray starts a process on a host and reports its end; nothing else goes through it. Ray is imported
only in processes of their own (`cluster_check.py`, `remote_process.py`, `remote_launch.py`),
never in the launcher.
"""
