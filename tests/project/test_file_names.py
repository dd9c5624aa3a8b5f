"""No two files or folders of one name mean different things: a reader who looks for a subject by a
name finds that subject, and nothing else under the same name."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("benchmarks", "docs", "messages", "models", "nodes", "rlgpt", "voxeldojo", "worlds")

NAMED_BY_OTHERS = ("benchmarks", "docs/examples", "rlgpt/commands")
"""Their files have another's name on purpose: a benchmark that of what it measures, an example that
of the program it is about, a file of ``rlgpt/commands`` that of the command that a user types."""

ALLOWED: dict[str, tuple[str, set[str]]] = {
    # One conversation from its two sides, or one concept in two packages.
    "actions.py": (
        "primitive actions by name: the world's, and as the game's play offers them",
        {"voxeldojo", "worlds/minecraft/play"},
    ),
    "cloning.py": (
        "a policy that begins as a clone: its loss, and the training that does it",
        {"models", "nodes/learner/optimising"},
    ),
    "entry_points.py": (
        "what Gymnasium calls for an id: of the world alone, and of what policies see",
        {"voxeldojo/environments", "worlds/minecraft/play/gymnasium"},
    ),
    "exit_codes.py": (
        "the exit codes of a command: the world's package imports nothing of ours",
        {"nodes/common/running", "voxeldojo"},
    ),
    "fingerprint.py": (
        "what shows that two versions of a game's world are the same",
        {"voxeldojo/engine", "worlds/crafter/play"},
    ),
    "gpu.py": (
        "the sharing of the GPU: the conversation, and the learner's side of it",
        {"messages", "nodes/learner"},
    ),
    "pausing.py": (
        "the pausing of a node: the conversation, and the node's side of it",
        {"messages", "nodes/common/running"},
    ),
    "guard_training.py": (
        "the training of a guard: as the fast agent has it done, and where its turns are played",
        {"nodes/env_server/session", "nodes/fast_agent/guard_making"},
    ),
    "png.py": (
        "pictures as PNG files: neither the env server nor the world's package imports the other",
        {"nodes/env_server", "voxeldojo/viewing"},
    ),
    "rewards.py": (
        "the terms of a reward: those of any game, and those of Minecraft",
        {"nodes/env_server/interface", "worlds/minecraft/play"},
    ),
    "session.py": (
        "a session: where it is played, and as the learner steps it",
        {"nodes/env_server/session", "nodes/learner/collecting"},
    ),
    "staging.py": (
        "how an episode is set up: as a task's settings, and in the engine",
        {"voxeldojo/engine/scene", "voxeldojo/tasks"},
    ),
    "state.py": (
        "all that a thing consists of between two steps: a training, a batch of worlds",
        {"nodes/learner/checkpoints", "voxeldojo/engine"},
    ),
    "task_check.py": (
        "what is wrong with a task: in any game, and in Minecraft",
        {"nodes/common/checks", "worlds/minecraft/card"},
    ),
    "training.py": (
        "the training of a policy: the conversation, and the learner that does it",
        {"messages", "nodes/learner"},
    ),
    "vector.py": (
        "many environments in one call, as Gymnasium's vector environments",
        {"voxeldojo/environments", "worlds/minecraft/play/gymnasium"},
    ),
    # One deed: its rule in the engine, the scripted player's way to do it, the programs' way.
    "digging.py": (
        "digging",
        {"voxeldojo/demonstrations", "voxeldojo/engine/hands", "worlds/minecraft/card/helpers"},
    ),
    "farming.py": ("farming", {"voxeldojo/demonstrations", "worlds/crafter/card/helpers"}),
    "fighting.py": (
        "fighting",
        {"voxeldojo/demonstrations", "voxeldojo/engine/mobs", "worlds/crafter/card/helpers"},
    ),
    "fishing.py": ("fishing", {"voxeldojo/demonstrations", "voxeldojo/engine/hands"}),
    "living.py": (
        "staying alive: the player, the mobs, and what programs do for it",
        {"voxeldojo/engine/body", "voxeldojo/engine/mobs", "worlds/crafter/card/helpers"},
    ),
    "placing.py": (
        "putting something into the world: blocks, mobs, and how programs place blocks",
        {"voxeldojo/engine/hands", "voxeldojo/engine/mobs", "worlds/minecraft/card/helpers"},
    ),
    "sheltering.py": (
        "making a shelter",
        {"voxeldojo/demonstrations", "worlds/crafter/card/helpers"},
    ),
    "travelling.py": (
        "going far",
        {"voxeldojo/demonstrations", "worlds/minecraft/card/helpers"},
    ),
    "using.py": (
        "the use key: on blocks and in the hand, and on mobs",
        {"voxeldojo/engine/hands", "voxeldojo/engine/mobs"},
    ),
    "walking.py": (
        "walking: mobs, and how programs walk",
        {"voxeldojo/engine/mobs", "worlds/minecraft/card/helpers"},
    ),
    # One part of the engine for several things.
    "generate.py": (
        "fills a rectangle of a dimension: the overworld and the others",
        {
            "voxeldojo/engine/terrain",
            "voxeldojo/engine/terrain/end",
            "voxeldojo/engine/terrain/nether",
        },
    ),
    "table.py": (
        "the rules of one part of the engine as arrays: mobs, and blocks that move",
        {"voxeldojo/engine/mobs", "voxeldojo/engine/motion"},
    ),
    "trees.py": (
        "trees: those that grow, and those of the terrain",
        {"voxeldojo/engine/motion", "voxeldojo/engine/terrain"},
    ),
}
"""For a name that several files have: why it means the same in all of them, and their folders."""

ALLOWED_FOLDERS: dict[str, tuple[str, set[str]]] = {
    "common": ("what several others use", {"nodes", "worlds"}),
    "programs": (
        "coded actions: their language, and those of a game",
        {"nodes/env_server", "worlds/crafter/card", "worlds/minecraft/card"},
    ),
}
"""The same for folders with files of code."""


def shared_names(root: Path) -> dict[str, set[str]]:
    """The folders of each name that needs a reason, by name.

    None is needed for the parts of a game: ``worlds/<part>.py`` says what the part is, and each
    game and ``worlds/common`` have theirs at the same place, so one in a card and one in a play.
    """
    files = (path for path in _files(root) if not path.name.startswith("__"))
    return _shared(root, files)


def shared_folders(root: Path) -> dict[str, set[str]]:
    """The same of folders that have files of code."""
    folders = {path.parent for path in _files(root)} - {root / package for package in PACKAGES}
    return _shared(root, folders)


def _files(root: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            folder = path.parent.relative_to(root).as_posix()
            if not any(f"{folder}/".startswith(f"{each}/") for each in NAMED_BY_OTHERS):
                yield path


def _shared(root: Path, paths: Iterable[Path]) -> dict[str, set[str]]:
    places: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        places[path.name].add(path.parent.relative_to(root).as_posix())
    return {
        name: where
        for name, where in places.items()
        if len(where) > 1 and not _parts_of_games(where)
    }


def unexplained(root: Path) -> list[str]:
    """A sentence for each name that several files or folders have without a reason."""
    shared = [(shared_names(root), ALLOWED), (shared_folders(root), ALLOWED_FOLDERS)]
    return [
        f"{name} is in {', '.join(sorted(where))}: name each for what it holds, "
        f"or state in tests/project/test_file_names.py why they mean the same"
        for found, allowed in shared
        for name, where in sorted(found.items())
        if where != allowed.get(name, ("", set()))[1]
    ]


def _parts_of_games(folders: set[str]) -> bool:
    """Whether no folder is deeper than a game's card or play, which hold each part once."""
    return all(
        folder == "worlds" or (folder.startswith("worlds/") and folder.count("/") < 3)
        for folder in folders
    )


def test_files_and_folders_share_a_name_only_with_a_stated_reason() -> None:
    assert unexplained(ROOT) == []


def test_every_stated_reason_for_a_shared_name_is_still_needed() -> None:
    assert set(ALLOWED) - set(shared_names(ROOT)) == set()
    assert set(ALLOWED_FOLDERS) - set(shared_folders(ROOT)) == set()


def test_a_name_with_two_meanings_is_found(tmp_path: Path) -> None:
    for path in (
        *("messages/memory.py", "nodes/learner/memory.py", "nodes/critic/__init__.py"),
        *("worlds/views.py", "worlds/toy/play/views.py", "worlds/toy/card/views.py"),
        *("worlds/toy/play/deep/far.py", "worlds/toy/play/far.py", "nodes/__init__.py"),
        *("benchmarks/views.py", "rlgpt/commands/memory.py", "rlgpt/commands.py"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert shared_names(tmp_path) == {
        "memory.py": {"messages", "nodes/learner"},
        "far.py": {"worlds/toy/play", "worlds/toy/play/deep"},
    }
    assert len(unexplained(tmp_path)) == 2


def test_a_folder_with_the_name_of_another_is_found(tmp_path: Path) -> None:
    for path in ("nodes/llm/guards/a.py", "worlds/toy/card/guards/b.py", "worlds/toy/card/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert shared_folders(tmp_path) == {"guards": {"nodes/llm", "worlds/toy/card"}}


def test_a_third_file_of_an_allowed_shared_name_is_found(tmp_path: Path) -> None:
    for folder in (*ALLOWED["gpu.py"][1], "nodes/critic"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "gpu.py").touch()
    (sentence,) = unexplained(tmp_path)
    assert sentence.startswith("gpu.py is in messages, nodes/critic, nodes/learner: ")
