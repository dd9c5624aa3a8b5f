"""The Malmo server: the embedded world behind the protocol of MineDojo's Java side.

`server.py` has a thread for each connection, `conversation.py` the messages of one, `framing.py`
their bytes. `mission.py` and `action_lines.py` parse what a client sends, `wire.py` writes what it
gets, and `log.py` formats the server's log.
"""
