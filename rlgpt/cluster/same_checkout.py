"""Whether a host of the cluster has the checkout that is here."""

from rlgpt.cluster.cluster_joining import PAGE


def other_checkout(host: str, there: str | None, here: str | None) -> str:
    """Why a host cannot be used, as a sentence; empty if its commit is the one here. A commit that
    git does not tell (None) is no known one: two of them need not be the same."""
    if here is None:
        return (
            "the commit of the checkout here cannot be read, so that no host can be compared with "
            f"it: is git installed, and does the checkout belong to you? ({PAGE})"
        )
    if there is None:
        return (
            f"the commit of the checkout on the host {host} cannot be read: is git installed "
            f"there, and does the checkout belong to the user of `ray start`? ({PAGE})"
        )
    if there != here:
        return (
            f"the host {host} has another commit of the checkout, {there}; here it is {here} "
            f"({PAGE})"
        )
    return ""
