"""Sessions: a batch of environments of one task, played by programs and policies (session.py)."""

from nodes.env_server.session.session import Session, check_request

__all__ = ["Session", "check_request"]
