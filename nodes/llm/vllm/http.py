"""Short requests to the server beside the completions: health, metrics, sleep."""

import http.client
import time
from contextlib import closing

from nodes.llm.requests.timed_http import timed_connection

_MOST = 4 * 2**20  # bytes of an answer; the metrics are the longest


def request(port: int, method: str, path: str, timeout: float) -> tuple[int, str]:
    """Status and text of an answer from the loopback.

    Raises:
        OSError: the server has not answered within ``timeout`` seconds, or not in HTTP.
    """
    deadline = time.monotonic() + timeout
    try:
        with closing(timed_connection("http", f"127.0.0.1:{port}", deadline, _MOST)) as connection:
            connection.connect()
            connection.request(method, path)
            with connection.getresponse() as response:
                return response.status, response.read().decode(errors="replace")
    except http.client.HTTPException as error:
        raise OSError(f"no HTTP answer: {error!r}") from None
