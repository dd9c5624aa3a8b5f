"""Questions to the language model: rendered from prompt files, and put again where an answer was
invalid.
"""
