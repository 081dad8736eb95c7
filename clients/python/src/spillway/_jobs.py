"""Jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Dict, Iterator, List, Optional

from . import _models as m
from ._artifacts import Artifact
from ._errors import JobFailedError, UnreachableError
from ._html import instant, minutes_text, table, usd, usd_text
from ._operations import Operations
from ._transport import Transport, join
from ._waiting import wait_until

ENDED = ("succeeded", "failed", "cancelled")
_IDLE_SECONDS = 30.0
_RETRY_SECONDS = 1.0
_UNREACHABLE_SECONDS = 60.0


@dataclass(frozen=True)
class LogLine:
    """One line of a log. ``str(line)`` is its text."""

    attempt: int
    number: int
    at: datetime
    stream: str
    text: str

    def __str__(self) -> str:
        return self.text


class Job:
    """A submitted job. Facts are those of the last request; ``refresh`` loads them again."""

    def __init__(self, transport: Transport, api: Operations, id: str) -> None:
        self._transport = transport
        self._api = api
        self._data: Optional[m.JobDetail] = None
        self.id = id

    def refresh(self) -> "Job":
        """Loads the job again."""
        self._data = self._api.job.get(self.id)
        return self

    @property
    def data(self) -> m.JobDetail:
        """Everything that the API shows of the job."""
        if self._data is None:
            self.refresh()
        assert self._data is not None
        return self._data

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def state(self) -> m.JobState:
        return self.data["state"]

    @property
    def reason(self) -> str:
        """Why the job is in its state."""
        return self.data["reason"]["message"]

    @property
    def cost_usd(self) -> Decimal:
        """Metered so far."""
        return usd(self.data["costMicroUsd"]) or Decimal(0)

    @property
    def exit_code(self) -> Optional[int]:
        """Exit code of the last attempt that has one."""
        codes = [attempt["exitCode"] for attempt in self.data["attemptList"] if attempt["exitCode"] is not None]
        return int(codes[-1]) if codes else None

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    def wait(self, timeout: Optional[float] = None, *, check: bool = True, poll_seconds: float = 1.0) -> "Job":
        """Waits for the end. With ``check``, raises JobFailedError unless the job succeeded.

        ``timeout`` is in seconds; WaitTimeoutError leaves the job running.
        """
        wait_until(lambda: self.refresh().is_ended, timeout=timeout, poll_seconds=poll_seconds, what=self.id)
        if check and self.state != "succeeded":
            raise JobFailedError(self.id, self.state, self.reason)
        return self

    def logs(self, follow: bool = False, *, attempt: Optional[int] = None, tail: Optional[int] = None) -> Iterator[LogLine]:
        """Lines of the newest attempt, or with ``follow`` of all attempts until the job ends.

        A broken connection continues after the last line.
        """
        return self._follow(attempt, tail) if follow else self._read_lines(attempt, tail)

    def _read_lines(self, attempt: Optional[int], tail: Optional[int]) -> Iterator[LogLine]:
        page = self._api.job.read_logs(self.id, attempt=attempt, tail=tail)
        while page["lines"] and page["attempt"] is not None:
            number = int(page["attempt"])
            for line in page["lines"]:
                yield _log_line(number, line["number"], line["at"], line["stream"], line["text"])
            after = int(page["lines"][-1]["number"])
            if after >= page["total"]:
                return
            page = self._api.job.read_logs(self.id, attempt=number, after=after)

    def _follow(self, attempt: Optional[int], tail: Optional[int]) -> Iterator[LogLine]:
        query: Dict[str, Optional[int]] = {"attempt": attempt, "tail": tail}
        reached: Optional[float] = None
        while True:
            try:
                for line in self._stream(query):
                    reached = time.monotonic()
                    if line is None:
                        return
                    query = {"attempt": line.attempt, "after": line.number}
                    yield line
                reached = time.monotonic()
            except UnreachableError as error:
                if _is_silent(error):
                    reached = time.monotonic()
                elif reached is None or time.monotonic() - reached > _UNREACHABLE_SECONDS:
                    raise
            time.sleep(_RETRY_SECONDS)

    def _stream(self, query: Dict[str, Optional[int]]) -> Iterator[Optional[LogLine]]:
        """Lines of one connection; None is the end of the log."""
        path = join("/jobs/{id}/logs", self.id)
        for line in self._transport.lines("GET", path, query={"follow": True, **query}, idle_seconds=_IDLE_SECONDS):
            if "end" in line:
                yield None
                return
            yield _log_line(line["attempt"], line["number"], line["at"], line["stream"], line["text"])

    @property
    def artifacts(self) -> Dict[str, Artifact]:
        """Results by name; of the newest attempt that has one."""
        newest_first = self._api.artifact.list(self.id)["items"]
        return {item["name"]: Artifact(self._api, item) for item in reversed(newest_first)}

    def metrics(self) -> List[m.MetricSeries]:
        """Metrics that the job reported."""
        return self._api.job.metrics(self.id)["items"]

    def explain(self) -> str:
        """Why the job waits, and what would change that."""
        waiting = self._api.job.waiting(self.id)
        suggestions = [suggestion["sentence"] for suggestion in waiting["suggestions"]]
        return "\n".join([waiting["reason"]["message"], *suggestions])

    def receipt(self) -> m.Receipt:
        """Cost by attempt, with alternatives."""
        return self._api.job.receipt(self.id)

    def cancel(self) -> "Job":
        """Cancels the job; a running job stops first."""
        self._api.job.cancel(self.id)
        return self.refresh()

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.name}: {self.state}>"

    def _repr_html_(self) -> str:
        data = self.refresh().data
        placement = data["placement"]
        rows: List[List[object]] = [
            ["state", data["state"]],
            ["reason", data["reason"]["message"]],
            ["place", None if placement is None else placement["region"] or placement["siteId"]],
            ["GPUs", data["gpus"]],
            ["team", data["team"]],
            ["cost", usd_text(self.cost_usd)],
            ["submitted", instant(data["submittedAt"])],
            ["run time", minutes_text(_run_ms(data))],
        ]
        return table(f"{data['name']} {self.id}", rows)


def _log_line(attempt: float, number: float, at: str, stream: str, text: str) -> LogLine:
    time_of_line = instant(at)
    assert time_of_line is not None
    return LogLine(int(attempt), int(number), time_of_line, stream, text)


def _is_silent(error: UnreachableError) -> bool:
    return isinstance(error.__cause__, TimeoutError) or "timed out" in str(error.__cause__)


def _run_ms(data: m.JobDetail) -> Optional[float]:
    started, finished = instant(data["startedAt"]), instant(data["finishedAt"])
    if started is None or finished is None:
        return None
    return (finished - started).total_seconds() * 1000
