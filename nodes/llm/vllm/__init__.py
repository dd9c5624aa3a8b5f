"""vLLM as a child of the llm node: weights, memory, the process, its sleep."""
