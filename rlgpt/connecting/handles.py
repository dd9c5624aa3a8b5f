"""What a connection returns: the messages of a topic, and the handle of a goal."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from messages.bus import Bus, BusError, DeadlineExceeded, OtherGoal
from messages.codec import CodecError
from messages.interface import Action

_MOST_KEPT = 10_000_000
_FEEDBACK = 10_000  # newest messages of a goal's feedback that were not taken yet
_LOOK_EVERY = 1.0  # seconds between looks whether the launch goes on


class StackError(BusError):
    """A call to a stack cannot be done; the text is one sentence."""


def seconds_of(timeout: object) -> float | None:
    """A timeout in seconds; None: without an end.

    Raises:
        StackError: it is none.
    """
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or math.isnan(timeout):
        raise StackError(f"a timeout is a number of seconds or None, not {timeout!r}")
    return None if timeout > threading.TIMEOUT_MAX else max(float(timeout), 0.0)


class _Mailbox:
    """Messages that one thread puts in and another takes out; of too many the oldest is dropped."""

    def __init__(self, keep: int) -> None:
        if not isinstance(keep, int) or not 1 <= keep <= _MOST_KEPT:
            raise StackError(f"keep={keep!r}: 1 to {_MOST_KEPT:,} messages can be kept")
        self._messages: deque[Any] = deque(maxlen=keep)
        self._changed = threading.Condition()
        self._closed = False

    def put(self, message: Any) -> None:
        with self._changed:
            if not self._closed:
                self._messages.append(message)
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def take(self, timeout: float | None, ended: Callable[[], str]) -> Any:
        """The next message. ``ended``: the sentence about a launch that has ended, else empty.
        Raises TimeoutError after ``timeout`` seconds, StopIteration when there will be none,
        StackError with what ``ended`` returns."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        why = ""
        while True:
            with self._changed:
                if self._messages:
                    return self._messages.popleft()
                if self._closed:
                    raise StopIteration
                if why:
                    raise StackError(why)
                if (left := until - time.monotonic()) <= 0:
                    raise TimeoutError
                self._changed.wait(min(left, _LOOK_EVERY))
            why = ended()  # what has come before the end is taken first


class Subscription:
    """The messages of a topic, as they come. `rlgpt.connecting.Connection.subscribe` makes it."""

    def __init__(
        self,
        timeout: float | None,
        keep: int,
        closed: Callable[["Subscription"], None],
        ended: Callable[[], str],
    ) -> None:
        self._timeout = seconds_of(timeout)
        self._closed = closed
        self._ended = ended
        self._mailbox = _Mailbox(keep)

    def receive(self, timeout: float | None = None) -> Any:
        """Wait for the next message, at most ``timeout`` seconds.

        Raises:
            messages.bus.DeadlineExceeded: there was none in time.
            StackError: the launch has ended, the subscription is closed, or ``timeout`` is no
                number.
        """
        seconds = seconds_of(timeout)
        try:
            return self._mailbox.take(seconds, self._ended)
        except TimeoutError:
            raise DeadlineExceeded(f"there was no message within {seconds:g} seconds") from None
        except StopIteration:
            raise StackError("the subscription is closed") from None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._mailbox.take(self._timeout, self._ended)
        except TimeoutError:
            raise StopIteration from None

    def put(self, message: Any) -> None:
        """Add a message that has come. For the connection."""
        self._mailbox.put(message)

    def close(self) -> None:
        """End it; an iteration that waits ends too."""
        self._closed(self)
        self._mailbox.close()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class ClientGoalHandle:
    """A goal that was sent. Iterate over its feedback; ask for its result; cancel it.

    Attributes:
        id: by which the goal can be sent again and picked up.
    """

    def __init__(
        self,
        bus: Bus,
        action: Action[Any, Any, Any],
        id: str,
        goal: Any,
        unserved: Callable[[], str],
        launch_ended: Callable[[], str],
    ) -> None:
        """``unserved``: the sentence about a run in which no node is running, else empty;
        ``launch_ended``: the one about a launch that has ended."""
        self.id = id
        self._action = action
        self._unserved = unserved
        self._launch_ended = launch_ended
        self._feedback = _Mailbox(_FEEDBACK)
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._result: Any = None
        self._error: Exception | None = None
        threading.Thread(target=self._run, args=(bus, goal), name=f"goal-{id}", daemon=True).start()

    def _run(self, bus: Bus, goal: Any) -> None:
        try:
            self._result = bus.run_goal(
                self._action,
                self.id,
                goal,
                on_feedback=self._feedback.put,
                cancelled=self._cancelled.is_set,
                same=True,
            )
        except OtherGoal as error:
            self._error = StackError(str(error))
        except CodecError as error:
            self._error = StackError(f"{self._action.name}: {error}")
        except Exception as error:  # `result` raises it
            self._error = error
        finally:
            self._ended.set()
            self._feedback.close()

    @property
    def done(self) -> bool:
        """Whether the goal has ended, one way or another."""
        return self._ended.is_set()

    def __iter__(self) -> Iterator[Any]:
        """The feedback, until the goal ends."""
        return self.feedback()

    def feedback(self, timeout: float | None = None) -> Iterator[Any]:
        """The feedback, until the goal ends or for ``timeout`` seconds there is none. Raises
        StackError where the launch ends before the goal."""
        seconds = seconds_of(timeout)
        while True:
            try:
                yield self._feedback.take(seconds, self._launch_ended)
            except (StopIteration, TimeoutError):
                return

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, a struct of messages/.

        Raises:
            StackError: another request was sent under the goal's id before, or the launch has
                ended before the goal, which goes on when the run is resumed.
            messages.bus.RemoteError: the goal failed, with the reason.
            messages.bus.GoalCancelled: it was cancelled.
            messages.bus.DeadlineExceeded: it has none after ``timeout`` seconds, and goes on.
        """
        seconds = seconds_of(timeout)
        until = math.inf if seconds is None else time.monotonic() + seconds
        while not self._ended.wait(max(0.0, min(until - time.monotonic(), _LOOK_EVERY))):
            if time.monotonic() >= until:
                raise DeadlineExceeded(
                    f"{self._action.name}: goal {self.id} has no result after {seconds:g} seconds; "
                    f"{self._unserved() or 'it goes on'}"
                )
            if (why := self._launch_ended()) and not self._ended.is_set():
                raise StackError(f"{self._action.name}: goal {self.id} has no result: {why}")
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self) -> None:
        """Cancel the goal; `result` raises GoalCancelled once its node has the cancellation."""
        self._cancelled.set()

    def __repr__(self) -> str:
        return f"<goal {self.id} of {self._action.name}, {'ended' if self.done else 'under way'}>"
