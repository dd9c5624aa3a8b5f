"""What decoding raises for bytes that are no such message."""

import msgspec

UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Of bytes from a file, a socket or a server. msgspec has an error of its own neither for a text
that is not UTF-8 nor for what is nested too deeply."""
