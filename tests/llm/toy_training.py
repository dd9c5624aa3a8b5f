"""A script in place of the vLLM environment's Python, which trains and merges toy weights."""

import json
import sys
from pathlib import Path

from nodes.llm.lessons.taught import KINDS

COUNTS = dict.fromkeys(KINDS, 30)
TRAINS = """#!{python}
import json, os, shutil, sys
from pathlib import Path
assert os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"] and os.environ["MALLOC_MMAP_THRESHOLD_"]
settings = json.loads(Path(sys.argv[-1]).read_text())
if sys.argv[-2].endswith("merge_adapter.py"):
    assert (Path(settings["adapter"]) / "adapter_config.json").is_file()
    (Path(settings["into"]) / "config.json").write_text('{{"merged": 1}}')
    shutil.copy(Path(settings["base"], "model.safetensors"), settings["into"])
    {extra}
    sys.exit()
lines = Path(settings["examples"]).read_text().splitlines()
assert set(json.loads(lines[0])) >= {{"kind", "system", "user", "answer"}}
assert not settings["adapter"] or (Path(settings["adapter"]) / "adapter_config.json").is_file()
print(json.dumps(dict(step=1, of=1, kind="x", loss=0.5, tokens=9, seconds=1, cpu=1)), flush=True)
{extra}
into = Path(settings["into"])
(into / "adapter").mkdir()
(into / "adapter" / "adapter_config.json").write_text('{{"r": 12}}')
(into / "config.json").write_text('{{"trained": 1}}')
header = b'{{"__metadata__":{{"of":"trained"}}}}'
(into / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
"""


def safetensors(of: str) -> bytes:
    """A file of the format without a tensor."""
    header = json.dumps({"__metadata__": {"of": of}}).encode()
    return len(header).to_bytes(8, "little") + header


def trainer(folder: Path, extra: str = "") -> None:
    python = folder / ".venv-vllm" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(TRAINS.format(python=sys.executable, extra=extra))
    python.chmod(0o755)
    (folder / ".venv-vllm" / ".done").touch()
