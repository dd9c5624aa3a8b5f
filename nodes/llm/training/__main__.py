"""Fine-tunes weights, merges an adapter into its base, writes examples to show beside questions, or
tests weights on questions about goals that are held out.

    python -m nodes.llm.training train MODEL [--name NAME] [--run RUN ...] [--minutes M] ...
    python -m nodes.llm.training merge ADAPTER [--name NAME]
    python -m nodes.llm.training examples FILE [--run RUN ...] [--plans N] ...
    python -m nodes.llm.training test MODEL [--questions N] [--adapter DIR] [--examples FILE] ...

MODEL is a name of the catalogue, a folder of weights, or the name of one in `weights/`
($RLGPT_WEIGHTS). `rlgpt llm train`, `rlgpt llm merge`,
`rlgpt llm examples` and `rlgpt llm test` call it.
"""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from nodes.common.running.ending_signals import interrupted_once
from nodes.common.running.standard_error import to_stderr
from nodes.llm.examples.example import Example, write
from nodes.llm.getting.known_models import taught_folder
from nodes.llm.getting.merging import merge
from nodes.llm.getting.refusals import Refused
from nodes.llm.getting.weight_places import plain_name, weights_at
from nodes.llm.lessons.lessons import held_out_of, lessons, to_show
from nodes.llm.lessons.shown import DEFAULT_COUNTS
from nodes.llm.lessons.taught import KINDS
from nodes.llm.training.asking_held_out import Asking, ask_held_out
from nodes.llm.training.recorded_examples import recorded
from nodes.llm.training.teach import Settings, check, teach
from nodes.llm.vllm.model_files import weights_folder

_MODEL = "a name that `rlgpt llm get` takes, a folder of weights, or the name of one in weights/"
_TRAIN = (
    "Fine-tune weights by LoRA on questions whose answers were checked, and on runs that reached "
    "their goal. An adapter and the weights that it was merged into are made (docs/llm.md)."
)
_MERGE = "Merge an adapter that was trained into the weights that it is for."
_EXAMPLES = (
    "Write questions with checked answers to a file, which llm.examples takes to show similar ones "
    "beside each question. The numbers are of questions that are made; of those, the ones about a "
    "step to a goal of the paper's tables are left out: by default 1,205 of 1,500 are written."
)
_TEST = (
    "Ask a model for plans and decompositions of goals that are held out, as plain text, and "
    "count what is valid, accepted by the agents' checks, and the same as the rulebook's answer."
)


def _train(given: argparse.Namespace) -> None:
    named = None if given.name is None else plain_name(given.name)
    base = weights_at(given.model)
    into = base.parent / (named or taught_folder(base.name))
    adapter = None if given.adapter is None else Path(os.path.expanduser(given.adapter)).absolute()
    check(base, into, adapter)
    made = lessons(_counts(given), given.seed, given.quantities, given.subtasks, given.held_out)
    from_runs = _recorded(given)
    examples = [*made, *from_runs]
    held_out = sorted({name for each in examples if (name := held_out_of(each))})
    settings = Settings(
        minutes=given.minutes, rounds=given.rounds, pack=given.pack, rate=given.rate,
        seed=given.seed, threads=given.threads, device=given.device,
        frozen_prefix=given.frozen_prefix, adapter=str(adapter or ""), held_out=held_out,
    )  # fmt: skip
    print(f"{len(examples)} examples, {given.minutes:g} minutes at most", flush=True)
    teach(base, into, examples, settings)
    print(f"{into} is there; {_use(into)}{' +llm.quantities=true' if given.quantities else ''}")


def _examples(given: argparse.Namespace) -> None:
    path: Path = Path(os.path.expanduser(given.file)).absolute()
    if path.exists():
        raise Refused(f"{path} is there already: delete it, or name another file")
    if not path.parent.is_dir():
        raise Refused(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):  # before the minutes that they take
        raise Refused(f"{path} cannot be written: {path.parent} may not be written to")
    examples = [*to_show(_counts(given), given.seed), *_recorded(given)]
    if not examples:
        raise Refused("there is nothing to write: no example is asked for, and none is from a run")
    try:
        write(path, examples)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None
    print(f"{len(examples)} examples; rlgpt launch harvest_log llm=NAME llm.examples={given.file}")


def _counts(given: argparse.Namespace) -> dict[str, int]:
    each = (given.plans, given.decompositions, given.programs, given.specs)
    return dict(zip(KINDS, each, strict=True))


def _recorded(given: argparse.Namespace) -> list[Example]:
    """The examples from the runs that are named. Without --held-out those about goals that are
    held out are left out, else a test on them would measure what was learned by heart."""
    found = [
        each for run in given.run for each in recorded(Path(os.path.expanduser(run)).absolute())
    ]
    held = sorted({name for each in found if (name := held_out_of(each))})
    if not held:
        return found
    kept = [each for each in found if not held_out_of(each)]
    which = (
        f"{len(found) - len(kept)} of {len(found)} answers of runs are about goals that are held "
        f"out ({', '.join(held)})"
    )
    if given.held_out:
        print(f"{which} and are taken: `rlgpt llm test` will report it", flush=True)
        return found
    print(f"{which} and are left out; --held-out takes them", flush=True)
    return kept


def _merge(given: argparse.Namespace) -> None:
    into = merge(Path(os.path.expanduser(given.adapter)).absolute(), weights_folder(), given.name)
    print(f"{into} is there; {_use(into)}")


def _use(weights: Path) -> str:
    """How weights that were taught are used: they copy programs, in which a penalty on repetition
    and a temperature put other names."""
    return (
        f"rlgpt launch harvest_log llm=local llm.path={weights} llm.temperature=0 "
        "llm.extra.repetition_penalty=1"
    )


def _asking(given: argparse.Namespace) -> Asking:
    return Asking(
        examples=given.examples,
        shown=given.shown,
        quantities=given.quantities,
        device=given.device,
        adapter=given.adapter,
    )


def _none_or_more(text: str) -> int:
    return _at_least(text, 0)


def _one_or_more(text: str) -> int:
    return _at_least(text, 1)


def _at_least(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"it must be {least} or more, not {number}")
    return number


def _share(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"it must be from 0 to 1, not {text}")
    return number


def _above_nothing(text: str) -> float:
    number = _number(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"it must be more than 0, not {text}")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rlgpt llm", allow_abbrev=False)
    what = parser.add_subparsers(dest="what", required=True)
    _add_train(what.add_parser("train", description=_TRAIN, allow_abbrev=False))
    _add_merge(what.add_parser("merge", description=_MERGE, allow_abbrev=False))
    examples = what.add_parser("examples", description=_EXAMPLES, allow_abbrev=False)
    examples.add_argument("file", type=Path, metavar="FILE", help="a new file, of JSON lines")
    _add_counts(examples, DEFAULT_COUNTS.values())
    _add_test(what.add_parser("test", description=_TEST, allow_abbrev=False))
    return parser


def _add_train(train: argparse.ArgumentParser) -> None:
    train.add_argument("model", metavar="MODEL", help=_MODEL)
    train.add_argument(
        "--name", metavar="NAME", help="of the folder that is made; default: MODEL's, with -taught"
    )
    train.add_argument(
        "--minutes", type=_above_nothing, default=20.0, metavar="N", help="at most; default: 20"
    )
    _add_counts(train, (120, 60, 60, 20))
    train.add_argument(
        "--rounds",
        type=_one_or_more,
        default=1,
        metavar="N",
        help="how often each lesson is taught; default: 1",
    )
    train.add_argument(
        "--pack", type=_one_or_more, default=6, metavar="N", help="lessons a step; default: 6"
    )
    train.add_argument(
        "--rate", type=_above_nothing, default=4e-4, metavar="R", help="of learning; default: 4e-4"
    )
    train.add_argument(
        "--threads", type=_one_or_more, default=1, metavar="N", help="of the CPU; default: 1"
    )
    train.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where it is trained; default: cpu"
    )
    train.add_argument(
        "--frozen-prefix",
        action="store_true",
        help="no gradient through the system message, which is faster",
    )
    train.add_argument(
        "--adapter", type=Path, metavar="DIR", help="go on from this one, of the same weights"
    )
    train.add_argument(
        "--subtasks",
        type=_one_or_more,
        default=1,
        metavar="N",
        help="only plans of N subtasks and more; default: 1",
    )
    train.add_argument(
        "--quantities",
        type=_share,
        nargs="?",
        const=1.0,
        default=0.0,
        metavar="SHARE",
        help="of the questions for a plan that state how many of each item it takes; without a "
        "number: all; default: none",
    )


def _add_merge(merging: argparse.ArgumentParser) -> None:
    merging.add_argument("adapter", type=Path, metavar="ADAPTER", help="its folder")
    merging.add_argument(
        "--name", metavar="NAME", help="of the folder that is made; default: the weights', -taught"
    )


def _add_test(test: argparse.ArgumentParser) -> None:
    test.add_argument("model", metavar="MODEL", help=_MODEL)
    test.add_argument(
        "--questions", type=_one_or_more, default=12, metavar="N", help="of each kind; default: 12"
    )
    test.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one draws others; default: 0"
    )
    test.add_argument(
        "--examples",
        metavar="FILE",
        help="shown with each question: a file of `rlgpt llm examples`, or the word rulebook; "
        "default: none",
    )
    test.add_argument(
        "--shown",
        type=_one_or_more,
        default=2,
        metavar="N",
        help="how many of these with each question; default: 2",
    )
    test.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="what serves it; default: cpu"
    )
    test.add_argument(
        "--adapter", metavar="DIR", help="put this one on the weights, as llm.adapter does"
    )
    test.add_argument(
        "--quantities", action="store_true", help="state how many of each item a plan takes"
    )


def _add_counts(parser: argparse.ArgumentParser, defaults: Iterable[int]) -> None:
    """How many examples of each kind, and the runs that more are taken from."""
    names = ("plans", "decompositions", "programs", "specs")
    for name, default in zip(names, defaults, strict=True):
        parser.add_argument(
            f"--{name}",
            type=_none_or_more,
            default=default,
            metavar="N",
            help=f"questions for {name} that the rulebook answers; default: {default}",
        )
    parser.add_argument(
        "--run",
        type=Path,
        action="append",
        default=[],
        metavar="RUN",
        help="also the answers of this run that led to its goal; may be repeated",
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="also answers about goals that are held out, by which models are tested: those of the "
        "runs and, of `train`, those about steps to other goals",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one draws others; default: 0"
    )


def main() -> int:
    given = _parser().parse_args()
    interrupted_once()
    try:
        if given.what == "train":
            _train(given)
        elif given.what == "merge":
            _merge(given)
        elif given.what == "examples":
            _examples(given)
        else:
            ask_held_out(weights_at(given.model), given.questions, given.seed, _asking(given))
    except Refused as error:
        to_stderr(str(error))
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
