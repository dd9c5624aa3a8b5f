"""``engine=ray``: env servers as processes on the hosts of a Ray cluster (docs/ray.md).

Ray starts a process on a host and reports its end; nothing else goes through it. Ray is imported
only in processes of their own (`cluster_check.py`, `remote_process.py`), never in the launcher.
"""
