"""The key that an override sets, whichever way it is written: Hydra also takes ``+key=value``,
which adds a key, and ``++key=value``, which adds or replaces it."""


def key_of(override: str) -> str:
    """The key, without the signs before it."""
    return override.lstrip("+").partition("=")[0]


def changed_key(override: str) -> str:
    """The key that it sets, or takes away as ``~key`` does."""
    return key_of(override.lstrip("+~"))


def within(group: str, override: str) -> str:
    """The override of a key of ``group``, whose name may be left out: ``+context=4096`` of ``llm``
    is ``+llm.context=4096``."""
    setting = override.lstrip("+~")
    signs = override[: len(override) - len(setting)]
    return override if setting.startswith(f"{group}.") else f"{signs}{group}.{setting}"


def is_below(group: str, override: str) -> bool:
    """Whether it sets something of ``group``, as ``+llm.context=4096`` does of ``llm``."""
    return key_of(override).startswith(f"{group}.")
