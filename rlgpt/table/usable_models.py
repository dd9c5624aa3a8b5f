"""Which language models of a table can be used on this machine with the command's overrides."""

from collections.abc import Collection, Mapping

from nodes.common.running.exit_codes import FAILED
from rlgpt.refused import Refused
from rlgpt.table.cells import DEFAULT_LLM, is_of_llm
from rlgpt.tools.language_models import Lacking, lacking


def unusable_models(llms: Collection[str], overrides: list[str]) -> dict[str, str]:
    """The models that cannot be used here, and what is missing.

    Raises:
        Refused: the overrides are about language models, and none of these can be had with them.
            Where some can, they are meant for those.
    """
    models = sorted(set(llms) - {DEFAULT_LLM})
    own = list(filter(is_of_llm, overrides))
    found: dict[str, Lacking] = {}
    for llm in models:
        if lacks := lacking(llm, own):
            found[llm] = lacks
    invalid = [llm for llm in models if llm in found and found[llm].invalid]
    if own and models and invalid == models:
        raise Refused(f"llm={models[0]}: {found[models[0]].sentence.rstrip('.')}")
    return {llm: lacks.sentence for llm, lacks in found.items()}


def refuse_if_no_model_takes(overrides: list[str], llms: Collection[str]) -> None:
    """Raises Refused for an override of a language model where the cells, of these ``llms``, are
    the rulebook's alone: such overrides are not passed on to them."""
    own = list(filter(is_of_llm, overrides))
    if own and set(llms) == {DEFAULT_LLM}:
        raise Refused(
            f"`{own[0]}` is for language models, and these cells are the rulebook's: put it into a "
            "method file, whose name keeps such cells apart"
        )


def refuse_if_none_is_usable(wanted: Collection[str], unusable: Mapping[str, str]) -> None:
    """Raises Refused where every model that the command names was left out: it did nothing."""
    if wanted and unusable.keys() >= set(wanted):
        why = "; ".join(f"llm={llm}: {unusable[llm].rstrip('.')}" for llm in sorted(wanted))
        raise Refused(f"none of the models that --only names can be used here: {why}", code=FAILED)
