"""Files of safetensors with one tensor, or cut short."""

import json


def table(size: int) -> bytes:
    """What stands before a tensor of ``size`` bytes."""
    row = {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}
    return headed({"all": row})


def headed(rows: dict[str, object]) -> bytes:
    """A table with these rows, behind its length."""
    text = json.dumps(rows).encode()
    return len(text).to_bytes(8, "little") + text
