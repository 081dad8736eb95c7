"""HTTP with the standard library."""

from __future__ import annotations

import json
import time
import uuid
from datetime import date
from http.client import HTTPException
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, Optional, Tuple, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._errors import UnreachableError, api_error
from ._settings import current_environment, find_token, find_url

ANSWER_SECONDS = 60.0
LIMITED_TRIES = 4
LIMITED_SECONDS_MAX = 60.0


class BrokenStreamError(UnreachableError):
    """The connection ended or was silent for too long. Reading can continue with a new request."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """The token must not reach another address."""


def join(path: str, *values: str) -> str:
    """The path with its parameters filled in, in order."""
    for value in values:
        start, end = path.index("{"), path.index("}")
        path = f"{path[:start]}{quote(str(value), safe='')}{path[end + 1:]}"
    return path


class Transport:
    """Sends requests with the token. Settings are read at the first request."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None) -> None:
        self._given = (url, token)
        self._found: Optional[Tuple[str, str]] = None
        self._opener = build_opener(_NoRedirects)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._settings()[0]

    def _settings(self) -> Tuple[str, str]:
        if self._found is None:
            env = current_environment()
            url = find_url(self._given[0], env)
            self._found = (url, find_token(self._given[1], url, env))
        return self._found

    def json(self, method: str, path: str, *, repeatable: bool = False, **request: Any) -> Any:
        """The JSON response. Retries after a broken connection if that is safe."""
        key = request.pop("idempotency_key", None) or (str(uuid.uuid4()) if repeatable else None)
        try:
            return self._json(method, path, key, request)
        except UnreachableError as error:
            if not (method == "GET" or repeatable) or _is_refused(error):
                raise
            return self._json(method, path, key, request)

    def _json(self, method: str, path: str, key: Optional[str], request: Mapping[str, Any]) -> Any:
        with self._open(method, path, key=key, timeout=ANSWER_SECONDS, **request) as response:
            text = _read(response)
        try:
            return json.loads(text)
        except ValueError as error:
            raise UnreachableError(f"{self.url} does not answer as Spillway does: {path} is not JSON.") from error

    def lines(
        self, method: str, path: str, *, idle_seconds: Optional[float] = None, repeatable: bool = False, **request: Any
    ) -> Iterator[Any]:
        """Each line of an NDJSON response.

        Raises BrokenStreamError when the connection breaks, or has no data for ``idle_seconds``.
        """
        with self._open(method, path, timeout=idle_seconds, **request) as response:
            while True:
                try:
                    line = response.readline()
                except (OSError, HTTPException) as error:
                    raise BrokenStreamError(f"{self.url} ended the answer early.") from error
                if not line:
                    return
                if not line.endswith(b"\n"):
                    raise BrokenStreamError(f"{self.url} ended the answer early.")
                yield json.loads(line)

    def file(self, method: str, path: str, *, repeatable: bool = False, **request: Any) -> BinaryIO:
        """The response as a readable file. Close it after use."""
        return self._open(method, path, timeout=ANSWER_SECONDS, **request)

    def _open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        text_type: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> BinaryIO:
        url, token = self._settings()
        headers = {"authorization": f"Bearer {token}", "user-agent": "spillway-python"}
        key = key or idempotency_key
        if key is not None:
            headers["idempotency-key"] = key
        data, content_type = _encode(body, text_type)
        if content_type is not None:
            headers["content-type"] = content_type
        target = f"{url}/api/v1{path}{_query_text(query or {})}"
        for tries in range(LIMITED_TRIES):
            try:
                sent = Request(target, data=data, headers=headers, method=method)
                return cast(BinaryIO, self._opener.open(sent, timeout=timeout))
            except HTTPError as error:
                pause = _pause_seconds(error)
                if pause is None or tries == LIMITED_TRIES - 1 or not isinstance(data, (bytes, type(None))):
                    raise api_error(error.code, _problem(error)) from None
                time.sleep(pause)
            except (URLError, OSError, HTTPException) as error:
                raise UnreachableError(f"Could not reach Spillway at {url} ({_cause(error)}). Check SPILLWAY_URL.") from error
        raise AssertionError("the last try returns or raises")


def _encode(body: Any, text_type: Optional[str]) -> Tuple[Any, Optional[str]]:
    if body is None:
        return None, None
    if isinstance(body, str) and text_type is not None:
        return body.encode(), text_type
    if isinstance(body, bytes) or hasattr(body, "read"):
        return body, text_type or "application/octet-stream"
    return json.dumps(body).encode(), "application/json"


def _query_text(query: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        pairs.extend((name, _query_value(one)) for one in values if one is not None)
    return f"?{urlencode(pairs)}" if pairs else ""


def _query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return value.isoformat() if isinstance(value, date) else str(value)


def _read(response: BinaryIO) -> bytes:
    try:
        return response.read()
    except (OSError, HTTPException) as error:
        raise UnreachableError(f"The answer ended early ({_cause(error)}).") from error


def _problem(error: HTTPError) -> Dict[str, Any]:
    try:
        problem = json.loads(error.read())
    except (ValueError, OSError, HTTPException):
        problem = None
    return problem if isinstance(problem, dict) else {"detail": f"The server answered with status {error.code}."}


def _pause_seconds(error: HTTPError) -> Optional[float]:
    """The pause that the server requests from callers above its rate limit; None for other errors."""
    text = error.headers.get("retry-after", "") if error.code == 429 else ""
    return min(float(text), LIMITED_SECONDS_MAX) if text.isdigit() else None


def _cause(error: BaseException) -> str:
    return str(getattr(error, "reason", None) or error or type(error).__name__)


def _is_refused(error: UnreachableError) -> bool:
    cause = error.__cause__
    return isinstance(getattr(cause, "reason", cause), ConnectionRefusedError)
