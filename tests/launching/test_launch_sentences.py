"""What a user does wrong is answered in one sentence, before anything is started."""

import contextlib
from pathlib import Path

import pytest
import yaml

from rlgpt.composing.composition import compose_launch
from rlgpt.main import main
from tests.launch_toys.launched import failed, launched, refused, rlgpt
from tests.learning.test_train import LAUGHS

TWO = {
    "seed": 0,
    "limits": {"iterations": 2},
    "nodes": {
        "first": {"module": "tests.launch_toys.first"},
        "second": {"module": "tests.launch_toys.second", "after": ["first"]},
    },
}

TASK = "+task={{id: it, prompt: do it, success: {{kind: {}}}, horizon: {}}}"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "launch" / "world").mkdir(parents=True)
    (tmp_path / "launch" / "two.yaml").write_text(yaml.safe_dump(TWO))
    chooses = "defaults:\n  - two\n  - world: flat\n  - _self_\n"
    (tmp_path / "launch" / "chooses.yaml").write_text(chooses)
    (tmp_path / "launch" / "world" / "flat.yaml").write_text("kind: flat\n")
    return tmp_path


def test_a_file_of_another_ending_is_not_said_to_be_missing(place: Path) -> None:
    (place / "launch" / "two.txt").write_text("")
    said = refused("launch", "launch/two.txt", cwd=place)
    assert "launch/two.txt is no launch file: its name does not end in .yaml" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["toe"], "there is no launch file `toe`; did you mean `two`? (there are: "),
        (["./nowhere.yaml"], "there is no launch file ./nowhere.yaml"),
        (["two.yaml"], "there is no launch file two.yaml; did you mean `two`?"),
        (["two", "sede=1"], "`sede=1`: there is no `sede` in the launch file; did you mean `seed`"),
        (["two", "limits.iteration=1"], "did you mean `limits.iterations`?"),
        (
            ["two", "nodes.first.restrat.max=1"],
            "no `restrat` in `nodes.first`; did you mean `restart`",
        ),
        (["two", "nodes.frist.patience=1"], "there is no node `frist` (no module nodes.frist)"),
        (
            ["two", "+nodes.keys={module: tests.launch_toys.first}"],
            "a node cannot be called `keys`: a run folder has something else of that name",
        ),
        (["two", "nodes.first.after=[third]"], "first starts after `third`, which is no node"),
        (["two", "nodes.first.after=[second]"], "first, second wait for each other"),
        (["two", "nodes.first.after=[first]"], "the node first waits for itself (`after`)"),
        (["two", "seed=many"], "two: `seed`: expected `int`, got `str`"),
        (["two", "limits.iterations="], "`limits.iterations`: expected `int`, got `str`"),
        (["two", "limits.iterations=0"], "`limits.iterations`: expected `int` >= 1"),
        (["two", "seed=["], "`seed=[` is no override"),
        (["two", "seed"], "`seed` is no override"),
        (["two", "seed=a(b", "limits.iterations=2"], "`seed=a(b` is no override"),
        (["two", "seed=${nothing}"], "`seed`: interpolation key 'nothing' not found"),
        (["two", "+colour=red"], "there is no `colour`"),
        (["chooses", "world=falt"], "there is no world `falt`; did you mean `flat`?"),
        (["two", "-frist"], "`-frist` leaves out a node that does not exist; did you mean `first`"),
        (["two", "--first"], "`--first` is no option of this command"),
        (["two", "task.id=x"], "there is no `task.id` in the launch file"),
        (["two", "+limits.samples=-1"], "`limits.samples`: expected `int` >= 1"),
        (["two", f"+limits.samples={10**20}"], "`limits.samples`: expected `int` <= 922337203685"),
        (["two", "+limits.success_rate=90"], "`limits.success_rate`: expected `float` <= 1.0"),
        (["two", "+limits.goal_rate=-1"], "`limits.goal_rate`: expected `float` >= 0.0"),
        (
            ["two", "+limits.success_rate=nan"],
            "`limits.success_rate`: expected `float` >= 0.0, got nan, which is no number",
        ),
        (
            ["two", "+limits.samples=nan"],
            "`limits.samples`: expected `int`, got nan, which is",
        ),
        (
            ["two", "nodes.first.restart.window=nan"],
            "`nodes.first.restart.window`: expected `float` >= 0.0, got nan, which is no number",
        ),
        (["two", "nodes.first.patience=-1"], "`nodes.first.patience`: expected `float` > 0.0"),
        (["two", "nodes.first.patience=0"], "`nodes.first.patience`: expected `float` > 0.0"),
        (["harvest_log", "limits.samples=10"], "harvest_log: limits.samples is 10, and trying and"),
        (["harvest_log", "world=minecraft"], "there is no world `minecraft`; did you mean `embedd"),
        (["two", "nodes.first.restart.max=-1"], "`nodes.first.restart.max`: expected `int` >= 0"),
        (["two", "nodes.second=null"], "`nodes.second`: expected a mapping of names to values"),
        (["two", "limits=[]"], "`limits=[]` is of another kind than what it replaces"),
        (["two", TASK.format("have, name: log", 0)], "`task.horizon`: expected `int` >= 1"),
        (
            ["two", TASK.format("have, name: log, quantity: 0", 1)],
            "`task.success.quantity`: expected `int` >= 1",
        ),
        (
            ["harvest_log", "task.success.kind=hav"],
            "harvest_log: task.success.kind: there is no condition 'hav'; did you mean have?",
        ),
        (
            ["harvest_log", "task.game=narnia"],
            "harvest_log: task.game: there is no game 'narnia'; there are minecraft, crafter",
        ),
        (
            ["harvest_log", "task.success.name=lgo"],
            "harvest_log: task.success.name: there is no item 'lgo'; did you mean log",
        ),
        (
            ["harvest_log", "task.success={kind: near, name: woood}"],
            "harvest_log: task.success.name: there is no block called 'woood'; did you mean wood",
        ),
        (
            ["harvest_log", "task.success.quantity=9999"],
            "task.success.quantity: a quantity is 1 to",
        ),
        (
            ["crafter", "task.inventory.wood=1"],
            "crafter: task.inventory: an episode of Crafter always starts the same way",
        ),
        (["harvest_log", "task.biome=forrest"], "task.biome: there is no biome 'forrest'; did you"),
        (["harvest_log", "+task.inventory.stik=1"], "no item 'stik'; did you mean stick"),
        (
            ["harvest_log", "+task.inventory.bed=37"],
            "inventory: it needs 37 slots, and there are 36",
        ),
        (
            ["harvest_log", "+task.world.initial_mobs='cow,shep'"],
            "no mob 'shep'; did you mean sheep",
        ),
        *(
            (
                ["two", f"+name='{name}'"],
                f"two: name='{name}' cannot be in the name of a run folder",
            )
            for name in ("", "a/b", "../x", "-x", ".x", " ")
        ),
        (["two", "run="], "run= names no folder"),
        (["harvest_log", "llm=replay"], "`llm.transcript` has to be given: add llm.transcript="),
        (["two", "hosts.first.host=a"], "two: hosts.first must be {host: NAME, port: NUMBER}"),
        (["two", "hosts.first={host: a, port: 0}"], "hosts.first.port is 0; it must be within"),
        (["two", "hosts.frist={host: a, port: 7}"], "two: hosts: there is no node `frist`; did"),
        (
            ["two", "hosts={first: {host: a, port: 7}, second: {host: a, port: 8}}"],
            "two: hosts: first and second both want port 8 of a; a node takes its port and the one",
        ),
    ],
)
def test_launch_refuses_wrong_files_nodes_and_overrides_in_words(
    place: Path, arguments: list[str], words: str
) -> None:
    assert words in refused("launch", *arguments, cwd=place)
    assert not (place / "runs").exists()


def test_a_refused_command_prints_one_line_and_ends_with_code_2(place: Path) -> None:
    """As a process: one line, exit code 2. The other refusals are asked for in this one."""
    for arguments in (("launch", "toe"), ("resume", "nowhere"), ("node", "list")):
        sentence = failed(*arguments, cwd=place, code=2)
        assert sentence.count("\n") == 1
        assert sentence == refused(*arguments, cwd=place)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["varied", "task.inventory={log: 3}"], "is added by `+task.inventory.NAME=VALUE`"),
        (["varied", "world.area=64"], "launch file; `+world.area=64` adds it"),
        (["varied", "~task"], "`task` is written out in the launch file: leave it out there"),
        (["harvest_log", "~limits.nothing"], "no `limits.nothing` in the launch file\n"),
        (["harvest_log", "method=pure_rl"], "launch file; `+method=pure_rl` adds it"),
        (["harvest_log", "learner.overlapp=true"], "file; did you mean `learner.overlap`?"),
        (["unnamed"], "unnamed.yaml: it cannot be read as a launch; is each key a name?"),
        (["two", "bag=maybe"], "`bag`: it cannot be 'maybe' (there are: true, false, snapshot)"),
        (["gone"], "gone.yaml is a link to a file that there is not"),
    ],
)
def test_launch_refusals_state_how_to_write_the_override_or_file(
    place: Path, arguments: list[str], words: str
) -> None:
    varied = {**TWO, "task": {"inventory": {}}, "world": {"kind": "flat"}}
    (place / "launch" / "varied.yaml").write_text(yaml.safe_dump(varied))
    (place / "launch" / "unnamed.yaml").write_text("null: 3\n")
    (place / "launch" / "gone.yaml").symlink_to("nowhere.yaml")
    assert words in refused("launch", *arguments, cwd=place)


def test_launch_file_that_is_not_valid_yaml_is_refused(place: Path) -> None:
    (place / "launch" / "two.yaml").write_text("nodes: {first: [\n")
    assert "not valid YAML" in refused("launch", "two", cwd=place)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"nodes: [first]\n", "mine.yaml, line 1: `nodes` is a list, and should be a mapping"),
        (b"- first\n", "mine.yaml is no launch file: it should be a mapping of names to values"),
        (b"a: [1\nb: 2\n", "mine.yaml is not valid YAML: line 2: expected ',' or ']'"),
        (b"\xff\xfe", "mine.yaml is not valid YAML: it is not text in UTF-8"),
        (b"a: " + b"[" * 5000, "mine.yaml is nested too deeply to be a launch file"),
        (b"seed: ${oc.env:NOSUCH}\n", "mine.yaml: `seed`: environment variable 'NOSUCH' not found"),
        (
            b"defaults: [world: bytes]\n",
            "launch/world/bytes.yaml is not valid YAML: it is not text",
        ),
        (b"seed: 1\n? [a, b]\n: 1\n", "mine.yaml, line 2: a list or a mapping is no key"),
        (LAUGHS.encode(), "mine.yaml: its YAML aliases (*name) make more than 10,000 values of it"),
        (
            b'defaults: [two]\nskills: "\\0"\n',
            "mine: `skills` has a NUL character, which no path has: remove it",
        ),
        (
            b'defaults: [two]\nskills: "\\ud800"\n',
            "mine: `skills` has half of a surrogate pair, which is no character: remove it",
        ),
    ],
)
def test_launch_file_is_refused_in_words_of_its_own_and_not_of_hydra(
    place: Path, content: bytes, words: str
) -> None:
    (place / "launch/mine.yaml").write_bytes(content)
    (place / "launch/world").mkdir(exist_ok=True)
    (place / "launch/world/bytes.yaml").write_bytes(b"kind: \xff")
    assert words in refused("launch", "mine", cwd=place)


@pytest.mark.parametrize(
    ("defaults", "file", "override"),
    [
        ("[other]", "other", ""),
        ("[between]", "other", ""),  # which stands in the defaults of that one
        ("[{world: laughs}]", "world/laughs", ""),
        ("[{override /world@world: laughs}]", "world/laughs", ""),
        ("[{world: outer}]", "world/laughs", ""),
        ("[{world: outer}]", "world/inner/laughs", ""),
        ("[two]", "world/laughs", "+world=laughs"),
        ("[{world: outer}]", "world/laughs", "world=laughs"),
    ],
)
def test_files_in_the_defaults_of_a_launch_file_are_checked_as_it_is(
    place: Path, defaults: str, file: str, override: str
) -> None:
    launch = place / "launch"
    (launch / "world/inner").mkdir(parents=True)
    (launch / "mine.yaml").write_text(f"defaults: {defaults}\n")
    (launch / "between.yaml").write_text("defaults: [other]\n")
    (launch / "other.yaml").write_text("seed: 1\n")
    (launch / "world/outer.yaml").write_text("defaults: [laughs, {inner: laughs}]\n")
    for name in ("world/laughs", "world/inner/laughs"):
        (launch / f"{name}.yaml").write_text("kind: flat\n")
    path = launch / f"{file}.yaml"
    arguments = ["launch", "mine", *filter(None, [override])]
    path.write_text(LAUGHS)
    said = refused(*arguments, cwd=place)
    assert f"{file}.yaml: its YAML aliases (*name) make more than 10,000 values of it" in said
    path.write_text("seed: 1\n? [a, b]\n: 1\n")
    said = refused(*arguments, cwd=place)
    assert f"{file}.yaml, line 2: a list or a mapping is no key" in said


def test_a_file_that_another_choice_replaces_is_not_checked(place: Path) -> None:
    (place / "launch/world").mkdir(exist_ok=True)
    (place / "launch/mine.yaml").write_text("defaults: [two, {world: bad}]\n")
    (place / "launch/world/bad.yaml").write_text("[1]\n")
    assert "bad.yaml is no launch file" in refused("launch", "mine", cwd=place)
    with contextlib.chdir(place):
        assert compose_launch("mine", ["world=embedded"])["world"]["kind"] == "embedded"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("=3", "`=3` is no override; write key=value"),
        ("learner=[1,2]", "`learner=[1,2]`: write learner=NAME, one of a group of files ("),
        ("world=null", "`world=null`: write world=NAME, one of a group of files ("),
        ("hydra.run.dir=x", "`hydra.run.dir=x`: Hydra's own settings have no effect on a launch"),
        ("seed=1,2", "`seed=1,2` is several values, and a launch takes one"),
        ("limits=3", "`limits`: expected a mapping of names to values, got `int`"),
        ("+task.biome=taiga", "`task.biome` is there already; `task.biome=taiga` sets it"),
    ],
)
def test_override_is_refused_in_words_of_its_own_and_not_of_hydra(
    place: Path, override: str, words: str
) -> None:
    assert words in refused("launch", "harvest_log", override, cwd=place)


def test_an_override_is_judged_with_the_groups_that_the_others_choose(place: Path) -> None:
    said = refused("launch", "harvest_log", "llm=openai", "+llm.url=x", cwd=place)
    assert "`+llm.url=x`: `llm.url` is there already; `llm.url=x` sets it" in said


def test_a_folder_is_no_launch_file(place: Path) -> None:
    (place / "launch/folder.yaml").mkdir()
    assert "there is no launch file `folder`" in refused("launch", "folder", cwd=place)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ("tow", "one.yaml: there is no launch file `tow`; did you mean `two`?"),
        ("one", "one.yaml: its `defaults` lead back to itself"),
    ],
)
def test_launch_file_whose_defaults_lead_nowhere_or_to_itself_is_refused(
    place: Path, other: str, words: str
) -> None:
    (place / "launch" / "one.yaml").write_text(f"defaults:\n  - {other}\n  - _self_\n")
    assert words in refused("launch", "one", cwd=place)


@pytest.mark.parametrize("name", ["Lücke & Co (2)", "a=b, c", "it's", "~here"])
def test_run_folders_may_have_any_characters_in_their_paths(place: Path, name: str) -> None:
    (place / name).write_text("in the way")
    sentence = refused("launch", "two", f"run={place}/{name}", cwd=place)
    assert sentence == f"rlgpt: {place}/{name} is not a folder\n"


@pytest.mark.parametrize(
    "override", ["hosts={first:{host:10.0.0.2,port:7000}}", "hosts.first={host:10.0.0.2,port:7000}"]
)
def test_hosts_and_a_host_may_be_overridden_as_a_whole(override: str) -> None:
    composed = compose_launch("harvest_log", [override])
    assert composed["hosts"] == {"first": {"host": "10.0.0.2", "port": 7000}}


def test_launch_file_with_an_unknown_key_is_refused(place: Path) -> None:
    (place / "launch" / "two.yaml").write_text("nodes:\n  first: {modul: x}\n")
    sentence = refused("launch", "two", cwd=place)
    assert "two: there is no `modul` in `nodes.first`; did you mean `module`?" in sentence


def test_run_folder_that_cannot_be_made_is_refused(place: Path) -> None:
    (place / "runs").write_text("in the way")
    sentence = refused("launch", "two", cwd=place)
    assert "cannot make the run folder" in sentence
    assert "run=PATH" in sentence


def test_run_folder_in_a_home_that_there_is_not_is_refused(place: Path) -> None:
    sentence = refused("launch", "two", "run=~nobody-of-this-name/x", cwd=place)
    assert "run=~nobody-of-this-name/x: there is no home folder ~nobody-of-this-name" in sentence
    assert "run=./~nobody-of-this-name/x" in sentence
    assert not (place / "~nobody-of-this-name").exists()


def test_run_folder_where_the_system_allows_none_is_refused(place: Path) -> None:
    assert "cannot make the run folder" in refused("launch", "two", "run=/proc/rlgpt", cwd=place)


@pytest.mark.parametrize(
    "arguments",
    [
        ("launch", "two", "run={}"),
        ("launch", "/{}/two.yaml"),
        ("resume", "{}"),
        ("node", "list", "--run", "{}"),
        ("report", "{}"),
        ("skill", "list", "--library", "{}"),
    ],
)
def test_names_that_are_too_long_are_refused_by_every_command(
    place: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    long = "x" * 300
    with contextlib.chdir(place):
        assert main([argument.format(long) for argument in arguments]) == 2
    assert capsys.readouterr().err.endswith(" cannot be used: File name too long\n")


@pytest.mark.parametrize(
    "arguments",
    [("launch", "two", "seed=\udcff"), ("param", "set", "first", "x=\udcff"), ("report", "\udcff")],
)
def test_arguments_that_are_not_utf_8_are_refused(place: Path, arguments: tuple[str, ...]) -> None:
    sentence = refused(*arguments, cwd=place)
    assert sentence.endswith("is not written in UTF-8\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "of names to values; restore it or launch into a new run folder"),
        ("[1]", "it is no launch: it should be a mapping of names to values"),
        ("[" * 5000, "is nested too deeply to be a launch"),
    ],
)
def test_resume_with_a_config_that_is_no_launch_is_refused(
    place: Path, text: str, words: str
) -> None:
    (place / "out").mkdir()
    (place / "out" / "config.yaml").write_text(text)
    assert words in refused("resume", "out", cwd=place)


def test_transcript_that_ends_inside_a_character_is_listed_up_to_there(place: Path) -> None:
    """As a node leaves it that was killed while it wrote."""
    folder = place / "out" / "llm"
    folder.mkdir(parents=True)
    (place / "out" / "config.yaml").write_text("{}")
    entry = '{"time": 1, "agent": "critic", "asked": "Judge", "id": "goal/judge-0", "prompt": []}'
    (folder / "unanswered.jsonl").write_bytes(f"{entry}\n{entry[:-2]}\u00fc".encode()[:-1])
    done = rlgpt("prompt", "show", "critic", "--list", "--run", "out", cwd=place)
    assert (done.stdout, done.returncode) == ("goal/judge-0  Judge\n", 0)


def test_launch_into_a_run_folder_that_is_in_use_or_was_used_is_refused(place: Path) -> None:
    run = place / "out"
    arguments = ("launch", "two", f"run={run}")
    with launched(*arguments, cwd=place, run=run) as launch:
        launch.wait_for("all nodes are ready")
        taken = f"{run} is already launched by process {launch.process.pid}"
        assert taken in refused(*arguments, cwd=place)
        assert taken in refused("resume", "out", cwd=place)
        launch.stop()
    assert "already holds a run; `rlgpt resume" in refused(*arguments, cwd=place)


def test_resume_of_what_is_no_run_is_refused(place: Path) -> None:
    assert "there is no run in ./runs" in refused("resume", cwd=place)
    assert "there is no run folder nowhere" in refused("resume", "nowhere", cwd=place)
    broken = place / "runs" / "broken"
    broken.mkdir(parents=True)
    (broken / "config.yaml").write_text("nodes: {first: [\n")
    assert "config.yaml is not valid YAML (line 2: " in refused("resume", "broken", cwd=place)
    (broken / "config.yaml").write_bytes(b"\xff\xfe\x00")
    assert "config.yaml" in refused("resume", "broken", cwd=place)
    (broken / "config.yaml").write_text("name: x\nrun: y\n")
    assert "`nodes` is missing" in refused("resume", "broken", cwd=place)
    (broken / "config.yaml").write_text("[]\n")
    assert "config.yaml" in refused("resume", "broken", cwd=place)
    assert "cannot change it" in refused("resume", "broken", "--", "a=1", cwd=place)


def test_commands_on_a_run_that_is_over_are_refused(place: Path) -> None:
    run = place / "runs" / "over"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text(yaml.safe_dump({"name": "two", "run": str(run), **TWO}))
    gone = "over is not running; `rlgpt resume over` starts it again"
    assert gone in refused("node", "list", cwd=place)
    assert gone in refused("node", "restart", "first", cwd=place)
    assert gone in refused("topic", "list", cwd=place)
    assert gone in refused("topic", "echo", "first/x", cwd=place)
    silent = "first of over is not running; `rlgpt resume over` starts it again"
    assert silent in refused("param", "get", "first", "pace", cwd=place)
    assert silent in refused("param", "set", "first", "pace=2", cwd=place)
    assert "there is no node `frist`; did" in refused("param", "list", "frist", cwd=place)
    assert "there is no node `frist`; did" in refused("run", "frist", cwd=place)


def test_sentences_name_a_run_outside_the_runs_as_a_command_finds_it(place: Path) -> None:
    run = place / "my runs" / "over"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text(yaml.safe_dump({"name": "two", "run": str(run), **TWO}))
    resume = "`rlgpt resume 'my runs/over'` starts"
    for words in (
        ("node", "list"),
        ("topic", "list"),
        ("param", "list"),
        ("param", "get", "first", "pace"),
    ):
        assert resume in refused(*words, "--run", str(run), cwd=place)
    assert "`rlgpt action list --run 'my runs/over'`" in refused(
        "action", "info", "first/x", "--run", str(run), cwd=place
    )


def test_launch_file_by_path_uses_groups_of_the_users_own_launch_folder(place: Path) -> None:
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (place / "launch" / "chooses.yaml").rename(elsewhere / "chooses.yaml")
    run = place / "out"
    path = str(elsewhere / "chooses.yaml")
    with launched("launch", path, f"run={run}", "seed=3", cwd=place, run=run) as launch:
        launch.wait_for("all nodes are ready")
        launch.stop()
    config = yaml.safe_load((run / "config.yaml").read_text())
    assert config["name"] == "chooses"
    assert config["world"] == {"kind": "flat"}
    assert config["seed"] == 3


def test_a_key_that_is_set_twice_is_named_and_the_last_value_counts(place: Path) -> None:
    """As Hydra has it: a script's own values can be overridden after them."""
    words = ["seed=3", "seed=3", "limits.iterations=3", "limits.iterations=0"]
    done = rlgpt("launch", "two", *words, cwd=place)
    assert done.returncode == 2
    note, refusal = done.stderr.splitlines()
    assert note == (
        "rlgpt: `limits.iterations` is set 2 times; the last one counts: limits.iterations=0"
    )
    assert "`limits.iterations`: expected `int` >= 1" in refusal
