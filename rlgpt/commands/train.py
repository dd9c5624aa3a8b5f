"""``rlgpt train``: a policy by a spec file."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, example, note_repeated, without_options


def add(commands: Commands) -> None:
    train = commands.add_parser(
        "train",
        help="train a policy by a spec file, without agents",
        allow_abbrev=False,
        description="Train one policy by a spec file: what it sees, may do and is paid for, its "
        "coded actions as files. `rlgpt resume` goes on with one that was stopped. key=value "
        "overrides launch/train.yaml; -NODE leaves a node out, to be run by hand.",
        **example("rlgpt train docs/examples/train/harvest_log.yaml learner.environments=32"),
    )
    train.add_argument("spec", metavar="SPEC.yaml", help="docs/launching.md has its fields")
    add_overrides(train, "changes of launch/train.yaml")
    train.set_defaults(do=_train, takes_more=True)


def _train(given: Namespace, more: list[str]) -> int:
    from rlgpt.single_runs.train_alone import train

    excluded, overrides = without_options([*given.overrides, *more])
    note_repeated(overrides)
    return train(given.spec, overrides, excluded)
