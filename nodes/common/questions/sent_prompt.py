"""A recorded prompt as the model was sent it: the record has it as the agent sent it, the examples
that were shown beside it, and the names of what was left out."""

from collections.abc import Collection, Sequence

from messages.chat import ChatMessage
from nodes.common.questions.prompt_parts import with_examples, without_parts


def as_sent(
    prompt: Sequence[ChatMessage], examples: Sequence[ChatMessage], left_out: Collection[str]
) -> list[ChatMessage]:
    """The prompt with its examples, without what the model's context was too small for."""
    return without_parts(with_examples(prompt, examples), len(left_out))
