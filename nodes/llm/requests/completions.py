"""One chat completion over HTTP, whole or as a stream of server-sent events, in bounded time."""

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from messages.bounds import NotNegative
from messages.undecodable import UNDECODABLE
from nodes.llm.backend import BackendError, OnPiece
from nodes.llm.requests.timed_http import timed_connection

# Statuses of a server that takes no question now, and takes it later.
_PASSING = {408, 425, 429, 502, 503, 504}
_CONFLICT = 409  # another try can cure it; the other 4xx mean that the request itself is wrong
_REFUSES_ALL = {401, 402, 403, 404}  # no valid key, no credit, no right to the model, no such model
_TOO_LONG = ("context length", "context size", "context_length", "context window", "n_ctx")
_LONGEST = 86_400.0  # seconds: longer than any caller waits, and no longer than sockets take
_MOST = (
    16 * 2**20
)  # bytes of one answer: far more than any context holds. Its framing may take as much again


class _Function(msgspec.Struct):
    arguments: str | None = None


class _Call(msgspec.Struct):
    function: _Function | None = None


class _Words(msgspec.Struct):
    """A message, or the piece of one in a stream. The names of thinking differ by server."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None  # some models answer so, though no tool was offered


class _Choice(msgspec.Struct):
    message: _Words | None = None
    delta: _Words | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: NotNegative = 0
    completion_tokens: NotNegative = 0


class _Body(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None
    model: str | None = None
    system_fingerprint: str | None = None


@dataclass
class Reply:
    """What the server sent, as far as it came. ``version``: of the weights, as it names it."""

    version: str = ""

    content: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    usage: _Usage = field(default_factory=_Usage)


def post(
    url: str, body: bytes, headers: dict[str, str], timeout: float, on_piece: OnPiece
) -> Reply:
    """Send one request and read its answer, at most ``timeout`` seconds altogether.

    Raises:
        BackendError: whatever went wrong, in one sentence.
    """
    parts = urlsplit(url)
    timeout = min(timeout, _LONGEST)
    deadline = time.monotonic() + timeout
    with closing(timed_connection(parts.scheme, parts.netloc, deadline, 2 * _MOST)) as connection:
        try:
            connection.connect()
        except OSError as error:
            raise _not_reached(url, error) from None
        try:
            connection.request("POST", parts.path, body, headers)
            with connection.getresponse() as response:
                return _reply(url, response, on_piece)
        except TimeoutError:
            raise BackendError(
                f"{url} did not answer within {timeout:g} seconds; raise llm.timeout"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise BackendError(f"{url} broke off ({_words(error)})", lost=True) from None


def exchange(url: str, body: bytes, headers: dict[str, str], timeout: float) -> bytes:
    """Send one request and read the whole of a plain answer, in bounded time.

    Raises:
        BackendError: whatever went wrong, in one sentence.
    """
    parts = urlsplit(url)
    deadline = time.monotonic() + timeout
    with closing(timed_connection(parts.scheme, parts.netloc, deadline, 2 * _MOST)) as connection:
        try:
            connection.connect()
            connection.request("POST", parts.path, body, headers)
            with connection.getresponse() as response:
                if response.status != 200:
                    raise _refusal(url, response)
                return b"".join(_read(response))
        except (OSError, http.client.HTTPException) as error:
            raise _not_reached(url, error) from None


def _reply(url: str, response: http.client.HTTPResponse, on_piece: OnPiece) -> Reply:
    if response.status != 200:
        raise _refusal(url, response)
    pieces = _read(response)
    if response.headers.get_content_type() == "text/event-stream":
        return _streamed(url, pieces, on_piece)
    return _whole(url, b"".join(pieces), on_piece)


def _not_reached(url: str, error: Exception) -> BackendError:
    if isinstance(error, ssl.SSLCertVerificationError):  # it is the same the next time
        return BackendError(
            f"{url} has a certificate that this machine does not trust ({error.verify_message}): "
            "name a file with the one that it is signed by in the variable SSL_CERT_FILE",
            permanent=True,
            no_model=True,
        )
    return BackendError(f"{url} was not reached ({_words(error)})", lost=True)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _refusal(url: str, response: http.client.HTTPResponse) -> BackendError:
    # One line of it, whether it is JSON or a page.
    sent = " ".join(response.read(500).decode(errors="replace").split())
    redirected = 300 <= response.status < 400
    if redirected:
        place = response.getheader("Location") or "nowhere"
        sent = f"it redirects to {place}, which is not followed: set llm.url to where the server is"
    too_long = response.status in (400, 413) and any(words in sent for words in _TOO_LONG)
    if too_long:
        sent += " (raise llm.context, or lower llm.max_tokens: prompt and answer share it)"
    passing = response.status in _PASSING
    permanent = 300 <= response.status < 500 and not passing and response.status != _CONFLICT
    return BackendError(
        f"{url} answered {response.status}: {sent}",
        permanent,
        lost=passing,
        too_long=too_long,
        status=response.status,
        wait=_retry_after(response) if passing else 0.0,
        no_model=passing or redirected or response.status in _REFUSES_ALL,
    )


def _retry_after(response: http.client.HTTPResponse) -> float:
    """Seconds, of a number or a date; 0 where it says nothing that can be read."""
    said = (response.getheader("Retry-After") or "").strip()
    if said.isdecimal() and said.isascii():
        return min(float(said), _LONGEST)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def _read(response: http.client.HTTPResponse) -> Iterator[bytes]:
    size = 0
    while piece := response.read1(65536):
        size += len(piece)
        if size > _MOST:
            raise BackendError(f"the answer is longer than {_MOST // 2**20} MiB")
        yield piece
    if response.length:  # read1 doesn't report that the body is shorter than was promised
        raise http.client.IncompleteRead(b"", response.length)


def _whole(url: str, data: bytes, on_piece: OnPiece) -> Reply:
    reply = Reply()
    sent = _decode(url, data)
    _check_error(url, sent)
    choice = sent.choices[0] if sent.choices else None
    if choice is None or choice.message is None:
        raise _no_completion(url, "it has no message")
    _take(reply, choice.message, lambda _text, _thinking: None)
    reply.finish_reason = choice.finish_reason
    reply.usage = sent.usage or reply.usage
    reply.version = _version(sent)
    on_piece("".join(reply.content), False)
    return reply


def _streamed(url: str, pieces: Iterator[bytes], on_piece: OnPiece) -> Reply:
    reply = Reply()
    done = False
    for event in _events(pieces):
        if event == b"[DONE]":
            done = True
            break
        sent = _decode(url, event)
        _check_error(url, sent)
        reply.usage = sent.usage or reply.usage
        reply.version = _version(sent) or reply.version
        for choice in sent.choices or []:
            if choice.delta is not None:
                _take(reply, choice.delta, on_piece)
            reply.finish_reason = choice.finish_reason or reply.finish_reason
    if not done and reply.finish_reason is None:
        raise BackendError(f"{url} broke off in the middle of the answer", lost=True)
    return reply


def _check_error(url: str, sent: _Body) -> None:
    """Raises BackendError where the server reports an error behind the status of a success."""
    if sent.error is not None:
        raise BackendError(f"{url} broke off: {json.dumps(sent.error)[:500]}")


def _version(sent: _Body) -> str:
    """``gpt-4o-2024-08-06, fp_1``: all that a server reports of its weights."""
    return ", ".join(part for part in (sent.model, sent.system_fingerprint) if part)


def _events(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The data of server-sent events, which here are one line each."""
    rest = bytearray()  # a line may come in a million pieces
    for piece in pieces:
        rest += piece
        if b"\n" not in piece:
            continue
        *lines, last = bytes(rest).split(b"\n")
        rest = bytearray(last)
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield bytes(rest[5:]).strip()


def _take(reply: Reply, words: _Words, on_piece: OnPiece) -> None:
    thinking = words.reasoning_content or words.reasoning
    if thinking:
        reply.thinking.append(thinking)
        on_piece(thinking, True)
    called = [call.function.arguments or "" for call in words.tool_calls or [] if call.function]
    for text in (words.content or "", *called):
        if text:
            reply.content.append(text)
            on_piece(text, False)


def _decode(url: str, data: bytes) -> _Body:
    try:
        return msgspec.json.decode(data, type=_Body)
    except UNDECODABLE as error:
        raise _no_completion(url, str(error)) from None


def _no_completion(url: str, why: str) -> BackendError:
    return BackendError(f"{url} did not answer with a chat completion: {why}")
