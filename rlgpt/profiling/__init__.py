"""Where the time of a run goes: `profile` makes an account of what its nodes have written down.

It reads files only, so it works on a run that goes on, has ended or was killed, and disturbs none.
"""

from rlgpt.profiling.parts import MEANINGS, TITLES, PartTime
from rlgpt.profiling.time_account import Profile, profile

__all__ = ["MEANINGS", "TITLES", "PartTime", "Profile", "profile"]
