"""The process jail around coded actions.

The process that holds a session's environments and runs its programs is a child, so that a step
needs no message between processes: a *worker*, forked from a *fork server* that has imported and
loaded everything. It makes its world, then confines itself (`confine.py`): no new privileges, a
landlock ruleset without rules, a seccomp filter that allows what memory and an open socket need,
limits. It talks to the env server over one socket pair (`worker_wire.py`, MessagePack) and shows in
shared memory that it is alive (`programs/pulse.py`). The thread that waits for a worker's answer
watches it (`worker.py`): one that stands still inside a program is killed.

    env server ---- fork_server.py (warm, runs no program)
        |               | fork
        `-- socket -- confined.py (one for each session, one that checks programs)

What this does not cover: a fault of the kernel, what can be learned from timing, and the CPU time
of a program that keeps running. docs/programs.md has the whole of it.
"""
