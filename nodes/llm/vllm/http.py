"""Short requests to the server beside the completions: health, metrics, sleep."""

import http.client


def request(port: int, method: str, path: str, timeout: float) -> tuple[int, str]:
    """Status and text of an answer from the loopback.

    Raises:
        OSError: the server does not answer within ``timeout`` seconds, or not in HTTP.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except http.client.HTTPException as error:
        raise OSError(f"no HTTP answer: {error!r}") from None
    finally:
        connection.close()
