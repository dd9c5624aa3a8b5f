"""Plays given actions with the real minedojo package and writes down what it shows.

Runs in MineDojo's own environment (`make minedojo`), hence the old NumPy and no import of ours:

    real_player.py JOBS.json FOLDER

A job is {name, task_id, kwargs, inventory, prompt, calls: [step, command, arguments], episodes:
lists of actions}; the answer is FOLDER/name.npz, a row for each observation, the resets' among
them. Pictures and infos are written down as digests. Errors that the package logs (statistics it
misses, say) end it with code 1.
"""

import copy
import hashlib
import json
import logging
import sys
from pathlib import Path

import numpy as np


class Errors(logging.Handler):
    """Keeps what the package logs as errors."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


ERRORS = Errors()
logging.getLogger().addHandler(ERRORS)

import minedojo  # noqa: E402
import minedojo.tasks as tasks  # noqa: E402
from minedojo.sim import InventoryItem  # noqa: E402
from minedojo.sim.bridge.mc_instance import InstanceManager  # noqa: E402

SPECS = copy.deepcopy(tasks.ALL_TASKS_SPECS)


def flatten(seen, prefix=""):
    for key, value in seen.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}/")
        elif key == "rgb":
            yield "rgb_shape", np.array(value.shape)
            yield "rgb", np.array(hashlib.sha256(np.ascontiguousarray(value)).hexdigest())
        else:
            yield prefix + key, np.asarray(value)


def digest_of(info):
    told = {key: value for key, value in info.items() if key not in ("voxels", "rays")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def play(job, port):
    # Making a task takes its spec apart in wheel 0.1: give each its own.
    tasks.ALL_TASKS_SPECS.update(copy.deepcopy(SPECS))
    kwargs = dict(job["kwargs"])
    if job["inventory"]:
        kwargs["initial_inventory"] = [InventoryItem(*item) for item in job["inventory"]]
    InstanceManager.add_existing_instance(port)
    env = minedojo.make(job["task_id"], **kwargs)
    rows = {}

    def note(seen, reward, done, success):
        row = dict(flatten(seen))
        row["reward"], row["done"] = np.array(float(reward)), np.array(bool(done))
        row["success"] = np.array(bool(success))
        row["info"] = np.array(digest_of(env.prev_info))
        for key, value in row.items():
            rows.setdefault(key, []).append(value)

    def call(name, arguments):
        if name == "set_inventory":
            arguments = [[InventoryItem(*item) for item in arguments[0]]]
        seen, reward, done, _ = getattr(env, name)(*arguments)
        for key, value in flatten(seen):
            if not key.startswith("full_stats/"):
                rows.setdefault(f"{name}/{key}", []).append(value)
        rows.setdefault(f"{name}/reward", []).append(np.array(float(reward)))
        rows.setdefault(f"{name}/done", []).append(np.array(bool(done)))

    for actions in job["episodes"]:
        note(env.reset(), 0.0, False, False)
        for number, action in enumerate(actions):
            for at, name, arguments in job["calls"]:
                if at == number:
                    call(name, arguments)
            seen, reward, done, _ = env.step(np.array(action))
            note(seen, reward, done, getattr(env, "is_successful", False))
    found = {key: np.array(values) for key, values in rows.items()}
    found["prompt"] = np.array(env.task_prompt if job["prompt"] else "")
    env.close()
    return found


def main():
    jobs = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(sys.argv[2])
    for job in jobs["jobs"]:
        np.savez(folder / f"{job['name']}.npz", **play(job, jobs["port"]))
        print(job["name"], flush=True)
    if ERRORS.messages:
        sys.exit("\n".join(dict.fromkeys(ERRORS.messages[:20])))


if __name__ == "__main__":
    main()
