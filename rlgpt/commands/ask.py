"""``rlgpt ask``: a recorded question, put again."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example
from rlgpt.refused import Refused

_REPAIRS = 3


def add(commands: Commands) -> None:
    ask = commands.add_parser(
        "ask",
        help="put a recorded question to another model or with an edited prompt, and compare",
        description="List the questions that an agent asked in a run, or put one of them again and "
        "show both answers, with what the agent finds wrong with each. The run may have ended; "
        "nothing of it is changed.",
        allow_abbrev=False,
        **example(
            "rlgpt ask fast_agent --run runs/latest",
            "rlgpt ask fast_agent 3",
            "rlgpt ask fast_agent 3 --llm openai url=http://127.0.0.1:8000/v1 model=qwen",
            "rlgpt ask planner plan-0 --prompt plan.user.jinja",
        ),
    )
    ask.add_argument(
        "agent", metavar="AGENT", help="who asked: planner, slow_agent, fast_agent, critic"
    )
    ask.add_argument(
        "question", nargs="?", metavar="QUESTION", help="its number, its id, or the id's end"
    )
    ask.add_argument(
        "--llm",
        nargs="+",
        metavar="WORD",
        help="a profile, and key=value of it; default: the one of the run",
    )
    ask.add_argument(
        "--prompt",
        metavar="now|sent|FILE",
        help="as the prompt files are now, as it was sent, with a template in place of the file of "
        "its name (NAME.jinja), or with FILE as the user's message; default: sent with --llm, else "
        "now",
    )
    ask.add_argument(
        "--repairs",
        type=int,
        metavar="N",
        help=f"tries after the first; default: {_REPAIRS}",
    )
    add_run(ask)
    add_json(ask)
    ask.set_defaults(do=_ask)


def _ask(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs.question_again import Options, ask_again, list_questions

    if given.question is None:
        for option in ("llm", "prompt", "repairs"):
            if getattr(given, option) is not None:
                raise Refused(f"which QUESTION? put it before --{option}")
        return list_questions(given.agent, given.run, given.json)
    llm: list[str] = given.llm or []
    options = Options(
        llm=llm[0] if llm else None,
        overrides=llm[1:],
        prompt=given.prompt,
        repairs=_REPAIRS if given.repairs is None else given.repairs,
        json=given.json,
    )
    return ask_again(given.agent, given.question, given.run, options)
