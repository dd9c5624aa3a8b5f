"""What a refused command says."""

from rlgpt.refused import instead


def test_a_sentence_names_all_that_there_is_unless_it_is_very_much() -> None:
    assert instead("sed", ["run", "seed"]) == "; did you mean `seed`? (there are: run, seed)"
    goals = [f"goal-{number}" for number in range(500)]
    said = instead("goal-12x", goals)
    assert said.endswith("goal-498, goal-499)")
    assert "440 others" in said
    assert "goal-439" not in said
    assert len(said) < 1000
