"""Parameters that do not fit are refused: the learner's before a node starts, those of another node
by the node itself, as is another name than its own, and the launch ends and leaves no run behind.
"""

import sys
from pathlib import Path

import pytest
import yaml

from tests.bus_processes import make_run
from tests.launch_toys.launched import CHECKOUT, failed, refused

BAD = "nodes.critic.parameters.most_pictures=-1"  # which only the critic itself finds out


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("world.kind=flat", "rlgpt: env_server: there is no world 'flat'; there are embedded"),
        (
            BAD,
            "rlgpt: critic: nodes.critic.parameters.most_pictures is -1: expected `int`",
        ),
    ],
)
def test_node_that_refuses_ends_the_launch_of_the_real_stack_and_leaves_no_run(
    tmp_path: Path, override: str, words: str
) -> None:
    earlier = tmp_path / "runs/earlier"
    earlier.mkdir(parents=True)
    latest = tmp_path / "runs/latest"
    latest.symlink_to("earlier")
    sentence = failed("launch", "harvest_log", override, cwd=tmp_path, code=2)
    assert sentence.startswith(words)
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["earlier", "latest"]
    assert latest.readlink() == Path("earlier")


def test_node_that_refuses_leaves_a_run_folder_that_was_there_before(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    sentence = failed("launch", "harvest_log", BAD, "run=out", cwd=tmp_path, code=1)
    assert "fix out/config.yaml and `rlgpt resume out`" in sentence
    assert (tmp_path / "out/notes.txt").read_text() == "mine"
    again = failed("resume", "out", cwd=tmp_path, code=1)
    assert "nodes.critic.parameters.most_pictures is -1: expected `int`" in again
    assert "fix out/config.yaml and `rlgpt resume out`" in again


def test_what_the_sentence_of_a_node_that_refuses_names_in_the_run_is_there(tmp_path: Path) -> None:
    """The log of a server that ended while it started."""
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/config.json").write_text("{}")
    words = (
        "llm=local",
        "llm.path=toy",
        "llm.arguments=[--load-format,dummy]",
        f"llm.command=[{sys.executable},{CHECKOUT / 'tests/llm/fake_vllm.py'},serve]",
        "+llm.environment.FAKE_ENDS=in no mood",
    )
    sentence = failed("launch", "harvest_log", *words, cwd=tmp_path, code=1)
    assert "vLLM ended before it was healthy: in no mood (its log is" in sentence
    assert "and `rlgpt resume " in sentence
    log = Path(sentence.partition("its log is ")[2].partition(")")[0])
    assert "in no mood" in log.read_text()


def test_wrong_parameters_of_the_learner_are_refused_before_a_node_starts(tmp_path: Path) -> None:
    small = refused("launch", "harvest_log", "learner.epochs=0", cwd=tmp_path)
    assert "harvest_log: nodes.learner.parameters.epochs is 0: expected `int` >= 1" in small
    small = refused("launch", "harvest_log", "+learner.imitation_minibatch=-1", cwd=tmp_path)
    assert "nodes.learner.parameters.imitation_minibatch is -1: expected `int` >= 0" in small
    unknown = refused("launch", "harvest_log", "+learner.epoch=3", "run=out", cwd=tmp_path)
    assert "nodes.learner.parameters: there is no parameter 'epoch'; did you mean epochs" in unknown
    assert not (tmp_path / "runs").exists()
    assert not (tmp_path / "out").exists()
    spec = str(CHECKOUT / "docs/examples/train/harvest_log.yaml")
    alone = refused("train", spec, "nodes.learner.parameters.clip=2", cwd=tmp_path)
    assert "nodes.learner.parameters.clip is 2: expected `float` <= 1" in alone
    alone = refused("train", spec, "learner.gamma=high", cwd=tmp_path)
    assert "nodes.learner.parameters.gamma is 'high': expected `float`" in alone


def test_wrong_parameters_of_the_learner_are_refused_when_a_run_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    failed("launch", "harvest_log", BAD, "run=out", cwd=tmp_path, code=1)
    config = yaml.safe_load((tmp_path / "out/config.yaml").read_text())
    config["nodes"]["learner"]["parameters"]["epochs"] = 0
    (tmp_path / "out/config.yaml").write_text(yaml.safe_dump(config))
    sentence = refused("resume", "out", cwd=tmp_path)
    assert "out/config.yaml: nodes.learner.parameters.epochs is 0: expected `int`" in sentence


def test_a_node_that_the_launch_calls_by_another_name_is_refused(
    tmp_path: Path,
) -> None:
    """No tool would find it, and its parameters would be those of another node."""
    launch = {"nodes": {"parrot": {"module": "tests.launch_toys.talker"}}}
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "one.yaml").write_text(yaml.safe_dump(launch))
    said = "talker: the launch calls this node `parrot`: give both the same name"
    assert said in failed("launch", "one", "run=it", cwd=tmp_path, code=2)
    run = make_run(tmp_path, run=str(tmp_path / "run"), **launch)
    assert said in failed("run", "parrot", "--run", str(run), cwd=tmp_path, code=2)
    assert not (run / "talker").exists()
