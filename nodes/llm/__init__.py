"""The llm node: answers the agents' typed questions through one of several backends.

``llm.py`` is the node, ``backend.py`` what every backend is, ``profiles.py`` what ``llm=NAME``
picks. Backends: ``rulebook/``, ``requests/openai.py`` (any server, our own of ``vllm/`` too) and
``recording/replay.py``. ``answers/`` holds what an answer may be and how it is read,
``recording/`` transcripts, ``examples/`` and ``lessons/`` what a small model is shown or taught,
``getting/`` and ``training/`` weights.
"""
