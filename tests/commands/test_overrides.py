"""How overrides reach what a launch file only refers to, or does not mention."""

from typing import Any

import pytest
from omegaconf import DictConfig, OmegaConf

from rlgpt.composing.composition import compose_launch
from rlgpt.composing.references import compose_with
from rlgpt.refused import Refused


def parameters(*overrides: str) -> dict[str, dict[str, Any]]:
    nodes = compose_launch("harvest_log", list(overrides))["nodes"]
    return {name: node.get("parameters", {}) for name, node in nodes.items()}


def test_a_hyper_parameter_that_no_launch_file_mentions_is_set_by_its_name() -> None:
    learner = parameters("learner.overlap=true")["learner"]
    assert (learner["overlap"], learner["epochs"]) == (True, 8)
    with pytest.raises(Refused, match=r"did you mean `learner\.overlap`"):
        parameters("learner.overlapp=true")


def test_an_override_below_a_reference_changes_that_alone() -> None:
    """`parameters: ${learner}` in the launch file is not replaced by a mapping of one key."""
    paper = parameters("learner=paper")["learner"]
    learner = parameters("learner=paper", "nodes.learner.parameters.overlap=true")["learner"]
    assert learner == {**paper, "overlap": True}
    profile = parameters("llm=qwen3_8b", "nodes.llm.parameters.profile.restarts=3")["llm"][
        "profile"
    ]
    assert (profile["kind"], profile["restarts"]) == ("vllm", 3)
    world = parameters("nodes.env_server.parameters.world.area=64")["env_server"]["world"]
    assert world == {"kind": "embedded", "area": 64}


@pytest.mark.parametrize("text", ["a\\b c", "a\\", "it's", "it\\'s", "a\nb\\\n", "ä, ~=#"])
def test_words_and_paths_are_taken_as_they_are(text: str) -> None:
    assert compose_launch("harvest_log", [f"run={text}"])["run"] == text


def test_a_prompt_may_have_several_lines() -> None:
    task = compose_launch("goal", ["prompt=get three\ncobblestone"])["task"]
    assert task["prompt"] == "get three cobblestone"


def test_parameters_that_are_a_nodes_own_are_set_there() -> None:
    agent = parameters("nodes.fast_agent.parameters.repairs=5")["fast_agent"]
    assert agent == {**parameters()["fast_agent"], "repairs": 5}


@pytest.mark.parametrize(
    ("override", "times"),
    [
        ("seed=1", 1),
        ("nodes.agent.parameters.repairs=5", 1),  # it can be seen that no reference was there
        ("nodes.agent.parameters.world.area=64", 3),
        ("nodes.agent.only.key=1", 3),  # it might have been one
    ],
)
def test_a_launch_is_composed_again_only_where_an_override_may_have_met_a_reference(
    override: str, times: int
) -> None:
    """A table composes one for every task and method."""
    written = {
        "seed": 0,
        "world": {"kind": "embedded"},
        "nodes": {
            "agent": {
                "parameters": {"repairs": 3, "tries": 2, "world": "${world}"},
                "only": {"key": 0},
            }
        },
    }
    composed: list[list[str]] = []

    def compose(overrides: list[str]) -> DictConfig:
        composed.append(overrides)
        config = OmegaConf.create(written)
        for each in overrides:
            key, _, value = each.lstrip("+").partition("=")
            OmegaConf.update(config, key, int(value), merge=True, force_add=True)
        return config

    found: Any = OmegaConf.to_container(compose_with([override], compose), resolve=True)
    assert len(composed) == times
    assert found["nodes"]["agent"]["parameters"]["tries"] == 2
    assert found["world"]["kind"] == "embedded"
