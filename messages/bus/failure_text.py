"""Why a handler failed, in words for the user."""

import errno

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_REMEDIES = {
    **dict.fromkeys(_NO_ROOM, "make room on its disk"),
    errno.EFBIG: "raise the limit of a file's size (ulimit -f), or the quota",
    errno.EROFS: "make its disk writable",
    errno.EACCES: "make it and its folder writable",
    errno.EPERM: "make it and its folder writable",
    errno.EIO: "see that its disk is in order",
    errno.EISDIR: "move the folder that is in its place away",
}


def disk_failure(error: BaseException, somewhere: object = "a file") -> str:
    """A sentence where a file could not be written, which is the user's to put right and no bug of
    the handler; else empty. ``somewhere``: what stands in it if the error names no file."""
    if not isinstance(error, OSError) or error.errno not in _REMEDIES:
        return ""
    what = f"{error.filename or somewhere} cannot be written: {error.strerror}"
    return f"{what}; {_REMEDIES[error.errno]}"


def failure_text(error: BaseException) -> str:
    """A bug goes by its exception's class, whose traceback is in the log."""
    return disk_failure(error) or f"{type(error).__name__}: {error}"
