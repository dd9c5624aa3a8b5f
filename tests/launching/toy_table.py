"""A table of toys: its planners report their goal as they are told to."""

from pathlib import Path

import yaml

TABLE = {
    "title": "Toys",
    "caption": "Three planners.",
    "launch": "toy",
    "tasks": ["log"],
    "methods": ["refusing", "fine", "slow"],
    "seeds": [0],
    "episodes": 20,
}
METHODS = {"fine": {}, "refusing": {"refuse": True}, "slow": {"seconds": 100.0}}


def make_toy_table(place: Path) -> Path:
    """Its launch files below a folder. Returns the folder."""
    launch = place / "launch"
    for group in ("task", "method", "table"):
        (launch / group).mkdir(parents=True)
    nodes = {"planner": {"module": "tests.launch_toys.planner", "parameters": {}}}
    groups = [{"task": "log"}, {"llm": "rulebook"}, "_self_", {"method": "fine"}]
    toy = {"defaults": groups, "run": None, "limits": {"iterations": 1}, "nodes": nodes}
    task = {"id": "log", "prompt": "A log.", "success": {"kind": "have", "name": "log"}}
    (launch / "toy.yaml").write_text(yaml.safe_dump(toy))
    (launch / "task" / "log.yaml").write_text(yaml.safe_dump(task))
    (launch / "table" / "toys.yaml").write_text(yaml.safe_dump(TABLE))
    for name, parameters in METHODS.items():
        method = yaml.safe_dump({"nodes": {"planner": {"parameters": parameters}}})
        (launch / "method" / f"{name}.yaml").write_text(f"# @package _global_\n{method}")
    return place
