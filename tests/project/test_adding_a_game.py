"""docs/adding_a_game.md, word by word: its files make a game that the agents can be asked about."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.chat import (
    DecomposeQuestion,
    JudgeQuestion,
    PlanQuestion,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from messages.plan import Subtask
from messages.verdict import Evidence
from messages.world import Condition, Episode, Task, View
from nodes.common.checks.plan_check import plan_problems
from nodes.common.checks.spec_check import spec_problems
from nodes.common.checks.task_check import missing_package, task_problem
from nodes.common.questions.asking import render
from nodes.env_server.games import any_task
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.rulebook.rulebook_backend import (
    RulebookBackend,
    decompose,
    judge,
    plan,
    program,
    spec,
)
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import Stack, check, check_task
from rlgpt.inspecting.stack_doctor import game_findings
from rlgpt.refused import Refused
from tests.launch_toys.launched import CHECKOUT, PATIENCE, command, environment
from tests.project.changed_game import CARD_FILE, FILE, PAGE, a_heap, broken_copy, write_game
from worlds import card
from worlds.foreign import other_games
from worlds.registry import games, unplayable

ROOT = CHECKOUT
MOST_LINES = 200
BEFORE_ROCK = (
    '"before_rock": Feature(name="before_rock", size=1, description="1 before a rock, else 0")'
)
TITLE = '    title="Quarry",\n'
FAR = '    features = {\n"far": Feature(name="far", size=1, description=""),\n'
ALL_PLAIN = "primitives=dict.fromkeys(ACTIONS, 0)"
AGENTS = {"Plan": "planner", "Decompose": "slow_agent", "Judge": "critic"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The page's files, as an installed package would lie on the path."""
    folder = tmp_path_factory.mktemp("quarry")
    write_game(folder)
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))


def composed(name: str, overrides: list[str]) -> Stack:
    return check({**compose_launch(name, overrides), "run": "somewhere"}, name)


@pytest.fixture
def task(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Task:
    """Of the launch that the page ends with."""
    monkeypatch.chdir(folder)
    line = re.search(r"`rlgpt launch ([^`]+)`", PAGE)
    assert line is not None
    name, *overrides = line[1].split()
    stack = composed(name, overrides)
    check_task(stack, name)
    assert stack.world["kind"] == "quarry"
    assert stack.task is not None
    return stack.task


def have(name: str, quantity: int = 1) -> Condition:
    return Condition(kind="have", name=name, quantity=quantity)


def test_the_files_of_the_page_are_few_lines_and_make_a_game_that_is_found(folder: Path):
    files = [
        path for path in folder.rglob("*") if path.suffix in (".py", ".pyi", ".yaml", ".jinja")
    ]
    assert len(files) >= 11
    assert sum(len(path.read_text().splitlines()) for path in files) < MOST_LINES
    assert games()["quarry"] == "quarry"
    assert card("quarry").title == "Quarry"


WHEEL = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


def test_a_wheel_of_the_page_has_all_files_of_the_game_and_no_launch_files(tmp_path: Path):
    for name, _, text in FILE.findall(PAGE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    build = [sys.executable, "-c", WHEEL, str(tmp_path / "dist")]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "dist").glob("quarry-1.0-*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == {name for name, _, _ in FILE.findall(PAGE) if name.startswith("quarry/")}


def test_tasks_that_name_an_unknown_counter_or_condition_are_refused(task: Task, folder: Path):
    assert task_problem(task) == ""
    wrong = msgspec.structs.replace(task, success=have("brik"))
    assert "success.name: there is no counter 'brik'; did you mean brick" in task_problem(wrong)
    faced = msgspec.structs.replace(task, success=Condition(kind="facing", name="rock"))
    assert task_problem(faced) == "success.kind: there is no condition 'facing'; there are have"
    other = composed("harvest_log", ["task=harvest_log", "world=quarry"])
    with pytest.raises(Refused, match=r"task\.success\.name: there is no counter 'log'"):
        check_task(other, "harvest_log")


def test_a_package_that_is_not_installed_is_named_before_any_node_starts(
    task: Task, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("nodes.common.checks.task_check.card", lambda _game: Lacking)
    assert missing_package(task) == (
        "game: the game 'quarry' needs the package 'no_such_stones', which is not installed: "
        "pip install no_such_stones"
    )


class Lacking:
    packages = ("no_such_stones",)


def test_plans_follow_the_games_recipes(task: Task):
    subtasks = plan(PlanQuestion(task=task)).subtasks
    assert [subtask.name for subtask in subtasks] == ["dig 4 stone", "make 2 brick"]
    assert plan_problems(task, subtasks) == []
    assert any("uses up 4 stone" in said for said in plan_problems(task, subtasks[1:]))
    oven = card("quarry").planning.plan_for(have("oven"), {"brick": 1})
    assert [subtask.success for subtask in oven] == [
        have("stone", 4),
        have("brick", 2),
        have("oven"),
    ]


def view(stones: int) -> View:
    return View(
        position=(0.0, 0.0, 0.0),
        yaw=0.0,
        pitch=0.0,
        life=20.0,
        food=20.0,
        inventory={"stone": stones},
        facing="rock",
        around={},
    )


def evidence() -> Evidence:
    episodes = [
        Episode(
            environment=row,
            seed=row,
            success=False,
            steps=9,
            reward=0.0,
            ended="running" if row else "horizon",
            before=view(1),
            after=view(1 + 4 * row),
        )
        for row in (0, 1)
    ]
    return Evidence(
        id="e",
        game="quarry",
        sub_action="dig stone",
        description="",
        method="code",
        success=have("stone", 4),
        required_rate=0.9,
        episodes=episodes,
    )


def test_the_rulebook_answers_for_it_and_the_answers_pass_the_checks(task: Task):
    RulebookBackend(game="quarry")
    subtask = Subtask(name="dig 4 stone", success=have("stone", 4))
    step = decompose(DecomposeQuestion(task=task, subtask=subtask)).sub_actions[0]
    assert (step.name, step.method, step.success) == ("dig stone", "code", have("stone", 4))
    own = msgspec.structs.replace(task, success=have("stone", 4))
    source = program(ProgramQuestion(task=own, sub_action=step)).source
    assert source.startswith('ITEM = "stone"\nQUANTITY = 4\n')
    answer = spec(SpecQuestion(task=own, sub_action=step))
    assert [term.name for term in answer.rewards] == ["", "stone"]
    specs = card("quarry").specs

    def problems(answer: SpecAnswer) -> list[str]:
        return spec_problems(answer, specs.features, specs.actions, True, 10**6, "quarry")

    assert problems(answer) == []
    wrong = msgspec.structs.replace(answer, actions=["jump"], targets=["cow"])
    assert "There is no action called 'jump': choose from dig, make_brick" in problems(wrong)[0]
    judged = judge(JudgeQuestion(evidence=evidence(), success_rate=0.5))
    assert judged.reason == "It worked in 1 of 2 episodes; 1 reached the horizon."
    assert judged.suggestion == "Go on for longer."


def test_prompts_describe_the_new_game_and_no_other(task: Task):
    subtask = Subtask(name="dig", success=have("stone", 4))
    step = decompose(DecomposeQuestion(task=task, subtask=subtask)).sub_actions[0]
    specs = card("quarry").specs
    questions: list[Question] = [
        PlanQuestion(task=task),
        DecomposeQuestion(task=task, subtask=subtask),
        ProgramQuestion(task=task, sub_action=step),
        SpecQuestion(
            task=task,
            sub_action=step,
            observations=list(specs.features),
            actions=list(specs.actions),
        ),
        JudgeQuestion(evidence=evidence(), success_rate=0.5),
    ]
    for question in questions:
        agent = AGENTS.get(type(question).__name__.removesuffix("Question"), "fast_agent")
        system, user = render(ROOT / "nodes" / agent / "prompts", question)
        assert "Quarry" in system.content
        assert "The player walks from rock to rock" in system.content
        said = f"{system.content}\n{user.content}\n{answer_schema(question)}".lower()
        foreign = ("minecraft", "crosshair", "biome", "wooden", "minedojo", "furnace", "cow")
        assert [word for word in foreign if word in said] == [], agent
    chain = render(ROOT / "nodes" / "planner" / "prompts", questions[0])[1].content
    assert "- brick: make 1 from 2 stone\n" in chain


def launch(folder: Path, *overrides: str) -> subprocess.CompletedProcess[str]:
    """The launch that the page ends with, of the game in ``folder``."""
    line = re.search(r"`rlgpt (launch [^`]+)`", PAGE)
    assert line is not None
    return ran(folder, *line[1].split(), *overrides)


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``rlgpt`` in the game's folder."""
    return subprocess.run(
        command(*words),
        cwd=folder,
        env={**environment(), "PYTHONPATH": f"{CHECKOUT}:{folder}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def launched(folder: Path, *overrides: str) -> dict[str, Any]:
    """The summary of a launch with few episodes."""
    small = "nodes.fast_agent.parameters"
    run = folder / "runs" / "it"
    shutil.rmtree(run, ignore_errors=True)
    few = [f"{small}.trial_episodes=2", f"{small}.evaluation_episodes=3"]
    done = launch(folder, f"run={run}", *few, *overrides)
    assert done.returncode == 0, done
    return json.loads((run / "summary.json").read_text())


def test_a_launch_of_the_whole_stack_reaches_a_goal_of_the_new_game(folder: Path):
    summary = launched(folder)
    assert summary["success"]
    assert [each["subtask"] for each in summary["iterations"]] == ["dig 4 stone", "make 2 brick"]
    assert [each["success_rate"] for each in summary["iterations"]] == [1.0, 1.0]
    assert summary["performance"]["success_rate"] == 1.0


def test_the_program_of_the_page_is_played_alone_in_the_world_of_the_tasks_game(folder: Path):
    line = re.search(r"^    rlgpt (program run [^`]+?)\n\n", PAGE, re.MULTILINE)
    assert line is not None
    done = ran(folder, *line[1].replace("\\", "").split())
    assert "brick in 20 of 20 episodes" in done.stdout, done


def test_a_fault_of_the_play_ends_the_launch_as_such_with_its_place_in_the_log(
    folder: Path, tmp_path: Path
):
    misspelt = ('ITEMS.index("stone")', 'ITEMS.index("stonee")')
    broken = broken_copy(folder, tmp_path, "play.py", *misspelt)
    run = broken / "runs" / "it"
    done = launch(broken, f"run={run}")
    assert done.returncode == 1, done
    assert "the game failed by ValueError: 'stonee' is not in list" in done.stderr
    assert (
        f'File "{broken / "quarry" / "play.py"}", line '
        in (run / "env_server" / "output.log").read_text()
    )


DIFF = re.compile(r"^```diff\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TRIED = """
import numpy as np
from messages.program import Program
from messages.world import Condition, Interface, OpenSession, SeedRange, Task
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.session import Session
from nodes.common.checks.task_check import task_problem
from worlds import card, play

facing = Condition(kind="facing", name="rock")
task = Task(id="a", prompt="", game="quarry", success=facing, horizon=50)
assert task_problem(task) == "", task_problem(task)
seen = Interface(observations=["far"], actions=["run"], success=facing, horizon=50)
opening = OpenSession(
    session="a", task=task, size=2, seeds=SeedRange(first=1, count=2), interface=seen
)
session = Session(opening, play("quarry").make_world("quarry", 2, task))
far = session.opened().features[:, 0].tolist()  # two and three steps, by the seeds
assert np.allclose(far, [2 / 3, 1]), far
source = "def action(obs):\\n    obs = run()\\n"
steps, _ = session.run_program(Program(name="run", source=source, max_steps=5))
assert steps == 2
assert [episode.success for episode in session.episodes()] == [True, False]
holds = card("quarry").conditions.holds
assert [holds(facing, episode) for episode in session.episodes()] == [True, False]
"""


def test_a_feature_a_condition_and_an_action_are_added_within_the_games_folder(
    folder: Path, tmp_path: Path
):
    copied = shutil.copytree(folder, tmp_path / "newer", ignore=shutil.ignore_patterns("runs"))
    diffs = DIFF.findall(PAGE)
    assert len(diffs) == 3
    for diff in diffs:
        touched = set(re.findall(r"^\+\+\+ b/(\S+)$", diff, re.MULTILINE))
        assert touched
        assert all(name.startswith("quarry/") for name in touched)
        subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=copied, check=True)
    environment_of = {**environment(), "PYTHONPATH": f"{CHECKOUT}:{copied}"}
    tried = [sys.executable, "-c", TRIED]
    done = subprocess.run(
        tried, env=environment_of, cwd=copied, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_card_that_lacks_a_part_is_refused_in_one_sentence(folder: Path, tmp_path: Path):
    from worlds import GameError

    with (
        a_heap(folder, tmp_path, "card/__init__.py", TITLE, ""),
        pytest.raises(
            GameError, match=r"TypeError: Card.__init__\(\) missing .*'title' .*card/__init__.py, l"
        ),
    ):
        card("heap")


@pytest.mark.parametrize(
    ("file", "old", "new", "cause"),
    [
        (
            "card/__init__.py",
            "HERE =",
            "HERE = =",
            "SyntaxError: .*card/__init__.py, line 11",
        ),
        ("card/__init__.py", "ways.yaml", "way.yaml", r"FileNotFoundError: .*way\.yaml'"),
        ("card/__init__.py", "common.ways", "common.way", "ModuleNotFoundError: .*'worlds.common"),
        (
            "card/ways.yaml",
            "how: dig",
            "hw: dig",
            "ValueError: ways.yaml: the way to .stone.: .*hw",
        ),
        ("card/ways.yaml", "stone: 2", "stne: 2", "'brick' takes 'stne', .*; did you mean stone?"),
        ("card/ways.yaml", "stone: 2", "stone: -2", "the way to 'brick': .*>= 1"),
        ("card/ways.yaml", "brick: {how: make", "brick: {how: mak", "verbs lacks 'mak', .*make"),
        (
            CARD_FILE,
            '"dig at a {of}", "make"',
            '"dig at a {of}", "mak"',
            "phrases lacks 'make', by",
        ),
        (CARD_FILE, 'made={"make"}', 'made={"mak"}', "made has 'mak', .* did you mean make"),
        (CARD_FILE, "program_api.pyi", "program.pyi", "the stub of its language is not there"),
        (CARD_FILE, 'name="quarry"', 'name="hep"', "its card is called 'hep'; give the card"),
        (CARD_FILE, 'name="held"', 'name="hold"', "the feature 'hold' stands under .* 'held';"),
        (CARD_FILE, "actions = ACTIONS", "actions = (1,)", "its actions have 1, .* write '1'"),
        (CARD_FILE, '/ "prompts"', '/ "promts"', "the prompt that describes it is not there"),
        (CARD_FILE, "HERE =", "raise SystemExit(3) #", r"SystemExit: 3 \(.*__init__.py, line 11"),
        (CARD_FILE, "HERE =", "X = 1 + None #", r"TypeError: unsupported .*__init__.py, line 11"),
        (CARD_FILE, 'HERE / "prompts"', '"prompts"', "its card has str as prompts, .* be Path"),
        (CARD_FILE, 'HERE / "program_api.pyi"', '"a"', "its language has str as stub, .* be Path"),
        (CARD_FILE, "Specs(CONDITIONS)", "None", "its card has NoneType as specs, .* to be Specs"),
        (CARD_FILE, "Specs(CONDITIONS)", "Specs", "its card has the class Specs as specs, which"),
        (CARD_FILE, TITLE, f"{TITLE}    score=1,\n", "its card has int as score, .* Score or None"),
        (CARD_FILE, "actions = ACTIONS", "actions = 'walk'", "its specs has str as actions, "),
        (CARD_FILE, BEFORE_ROCK, '"before_rock": 1', "its feature 'before_rock' is int, which"),
        (CARD_FILE, "size=1,", 'size="1",', "its feature 'before_rock' has str as size, .* be int"),
        (CARD_FILE, ALL_PLAIN, "primitives=ACTIONS", "its language has tuple as primitives, which"),
        (CARD_FILE, ALL_PLAIN, "primitives={'dig': 2}", "its primitive 'dig' takes 2 arguments;"),
        (CARD_FILE, ALL_PLAIN, "primitives={'go on': 0}", "its language has 'go on', which prog"),
        (CARD_FILE, "    features = {\n", FAR, "its card has the feature 'far', which its"),
        (
            CARD_FILE,
            "size=len(ITEMS)",
            "size=2",
            "the feature 'held' has 3 columns, and 2 in",
        ),
        (
            "play.py",
            '"before_rock": C',
            '"time": C',
            "its columns have 'time', which every game",
        ),
        ("play.py", "import numpy", "import numpi", "needs the package 'numpi'"),
        ("play.py", "PLAY = Quarry()", "PLAY = 1 / 0", "ZeroDivisionError: .*heap/play.py, line "),
    ],
)
def test_a_game_that_cannot_be_loaded_is_named_and_stops_no_other(
    folder: Path, tmp_path: Path, file: str, old: str, new: str, cause: str
):
    with a_heap(folder, tmp_path, file, old, new):
        problem = unplayable("heap")
        assert re.search(f"^the game 'heap' .*{cause}", problem), problem
        assert "cannot be loaded" in problem or "not installed" in problem
        assert any_task("embedded").game == "minecraft"
        found = [each for each in game_findings() if each.about == "games"]
        assert [each.well for each in found] == [False, True]
        assert found[0].words.startswith(problem)
        assert found[1].words == "minecraft, crafter, quarry"


def test_games_of_other_packages_do_not_change_the_answers_to_programs(folder: Path):
    """The words of a game that is installed by chance are no reason to answer a model otherwise."""
    assert {"gather", "move_left"} <= other_games(card("minecraft").language).keys()
    assert "make_brick" not in other_games(card("minecraft").language)
    assert other_games(card("quarry").language)["forward_attack"] == "minecraft"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (CARD_FILE, TITLE, "", "the game 'quarry' cannot be loaded: TypeError: Card.__init__() mi"),
        (
            CARD_FILE,
            TITLE,
            f'{TITLE}    packages=("no_such_stones",),\n',
            "needs the package 'no_such_stones', which is not installed: pip install no_such_ston",
        ),
        (CARD_FILE, "HERE =", "HERE = =", "task.game: the game 'quarry' cannot be loaded: Syntax"),
        ("play.py", "held(", "held((", "task.game: the game 'quarry' cannot be loaded: SyntaxErro"),
        (
            "card/rules/rules.yaml",
            "dig.py",
            "digg.py",
            "the game 'quarry': rules.yaml: subtasks.dig: there is no program 'digg.py'; did you m",
        ),
    ],
)
def test_a_game_with_a_broken_file_is_refused_before_a_run_folder_is_made(
    folder: Path, tmp_path: Path, file: str, old: str, new: str, said: str
):
    broken = broken_copy(folder, tmp_path, file, old, new)
    done = launch(broken)
    assert done.returncode == 2, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (broken / "runs").exists()
