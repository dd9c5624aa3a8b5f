"""The llm node with a server of its own, tests/llm/fake_vllm.py, and the answers of `learning_llm`:
each question is sent to the server, and answered once the server has replied."""

import sys
from pathlib import Path
from typing import Any

from messages.chat import ChatMessage, Question
from nodes.llm.backend import Backend, Completion
from nodes.llm.llm import Llm
from nodes.llm.profiles import Vllm
from tests.launch_toys.learning_llm import Learning

WITHOUT_WEIGHTS = ["--load-format", "dummy"]
SERVER = Path(__file__).parents[1] / "llm" / "fake_vllm.py"


class Served(Learning):
    def __init__(self, server: Backend) -> None:
        super().__init__()
        self._server = server

    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        self._server.complete(question, prompt, schema)
        return super().complete(question, prompt, schema)


class ServedLlm(Llm):
    def _backend(self) -> Backend:
        weights = self.folder / "weights"
        weights.mkdir(exist_ok=True)
        (weights / "config.json").write_text("{}")
        command = [sys.executable, str(SERVER), "serve"]
        profile = Vllm(
            model="toy", path=str(weights), command=command, device="cpu", arguments=WITHOUT_WEIGHTS
        )
        self.patience = 120.0
        return Served(self._vllm(profile))


if __name__ == "__main__":
    ServedLlm.main()
