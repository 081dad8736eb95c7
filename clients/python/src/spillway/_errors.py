"""Errors that the client raises."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, cast


class SpillwayError(Exception):
    """Base of all errors of this package."""


class SettingsError(SpillwayError):
    """The address or the token is missing or malformed."""


class UnreachableError(SpillwayError):
    """The server did not respond, or the connection broke."""


class ApiError(SpillwayError):
    """The server rejected the request. ``fix`` says what to do."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", "unknown"))
        self.detail = str(problem.get("detail", "The request failed."))
        fix = problem.get("fix")
        self.fix: Optional[str] = None if fix is None else str(fix)
        self.fields: List[Mapping[str, Any]] = cast(List[Mapping[str, Any]], problem.get("fields") or [])
        self.request_id = str(problem.get("requestId", ""))
        super().__init__(" ".join([self.detail, *self._field_texts(), *([self.fix] if self.fix else [])]))

    def _field_texts(self) -> List[str]:
        return [f"{field.get('path', '')}: {field.get('message', '')}." for field in self.fields[:5]]


class NotFoundError(ApiError):
    """The thing does not exist, or the caller may not see it."""


class ForbiddenError(ApiError):
    """The token is missing, unknown or lacks the right."""


class ConflictError(ApiError):
    """The request conflicts with the current state, for example cancelling a finished job."""


class JobFailedError(SpillwayError):
    """A job, pipeline or sweep that was waited for did not succeed."""

    def __init__(self, id: str, state: str, message: str) -> None:
        self.id = id
        self.state = state
        super().__init__(f"{id} {state}. {message}".rstrip())


class WaitTimeoutError(SpillwayError):
    """``wait`` reached its timeout. The job continues."""


def api_error(status: int, problem: Mapping[str, Any]) -> ApiError:
    """The class that fits the status."""
    kinds = {401: ForbiddenError, 403: ForbiddenError, 404: NotFoundError, 409: ConflictError}
    return kinds.get(status, ApiError)(status, problem)
