"""The rulebook: no language model, but rules and a stock of programs that answer its questions."""
