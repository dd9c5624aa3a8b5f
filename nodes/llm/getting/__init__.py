"""Open weights from a package index or a GGUF file, made into a folder that vLLM serves."""
