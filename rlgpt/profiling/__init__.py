"""Where the time of a run goes: `profile` makes an account of what its nodes have written down.

It reads files only, so it works on a run that goes on, has ended or was killed, and disturbs none.
"""

from rlgpt.profiling.account import Profile, profile
from rlgpt.profiling.parts import MEANINGS, TITLES, PartTime

__all__ = ["MEANINGS", "TITLES", "PartTime", "Profile", "profile"]
