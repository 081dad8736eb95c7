"""Pipelines and sweeps."""

from __future__ import annotations

from decimal import Decimal
from typing import List, Optional

from . import _models as m
from ._errors import JobFailedError
from ._html import table, usd, usd_text
from ._operations import Operations
from ._waiting import wait_until


class Pipeline:
    """A submitted pipeline or sweep. Facts are those of the last request."""

    def __init__(self, api: Operations, id: str) -> None:
        self._api = api
        self._data: Optional[m.PipelineDetail] = None
        self.id = id

    def refresh(self) -> "Pipeline":
        """Loads the pipeline again."""
        self._data = self._api.pipeline.get(self.id)
        return self

    @property
    def data(self) -> m.PipelineDetail:
        """Everything that the API shows of the pipeline."""
        if self._data is None:
            self.refresh()
        assert self._data is not None
        return self._data

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def state(self) -> str:
        return self.data["state"]

    @property
    def cost_usd(self) -> Decimal:
        """Metered so far, all steps together."""
        return usd(self.data["costMicroUsd"]) or Decimal(0)

    @property
    def is_ended(self) -> bool:
        return self.state not in ("running", "cancelling")

    def wait(self, timeout: Optional[float] = None, *, check: bool = True, poll_seconds: float = 1.0) -> "Pipeline":
        """Waits for the end. With ``check``, raises JobFailedError unless it succeeded."""
        wait_until(lambda: self.refresh().is_ended, timeout=timeout, poll_seconds=poll_seconds, what=self.id)
        if check and self.state != "succeeded":
            raise JobFailedError(self.id, self.state, _counts(self.data["counts"]))
        return self

    def runs(self) -> List[m.PipelineRun]:
        """Runs of all steps with their jobs."""
        runs: List[m.PipelineRun] = []
        after: Optional[int] = None
        while True:
            page = self._api.pipeline.runs(self.id, after=after)
            runs.extend(page["items"])
            after = page["next"]
            if after is None:
                return runs

    def cancel(self) -> "Pipeline":
        """Cancels it; running jobs stop first."""
        self._api.pipeline.cancel(self.id)
        return self.refresh()

    def __repr__(self) -> str:
        return f"<{self.data['kind']} {self.id} {self.name}: {self.state}>"

    def _repr_html_(self) -> str:
        data = self.refresh().data
        rows = [
            [step["name"], ", ".join(step["needs"]), _counts(step["counts"]), usd_text(usd(step["costMicroUsd"]))]
            for step in data["stepList"]
        ]
        title = f"{data['name']} {self.id}: {data['state']}, {usd_text(self.cost_usd)}"
        return table(title, rows, ["step", "needs", "runs", "cost"])


class Sweep(Pipeline):
    """A submitted sweep."""

    def trials(self, metric: Optional[str] = None) -> m.Trials:
        """Trials with their values, metric and cost."""
        return self._api.pipeline.trials(self.id, metric=metric)

    def best(self, metric: Optional[str] = None) -> Optional[m.TrialsItemsItem]:
        """The best trial so far; None before one reports the metric."""
        trials = self.trials(metric)
        return next((item for item in trials["items"] if item["index"] == trials["best"]), None)

    def _repr_html_(self) -> str:
        data = self.refresh().data
        trials = self.trials()
        names = sorted({name for item in trials["items"] for name in item["values"]})
        rows = [
            [*(item["values"].get(name) for name in names), item["state"], item["best"], usd_text(usd(item["costMicroUsd"]))]
            for item in trials["items"][:50]
        ]
        title = f"{data['name']} {self.id}: {data['state']}, {data['runs']} trials, {usd_text(self.cost_usd)}"
        return table(title, rows, [*names, "state", trials["metric"] or "metric", "cost"])


def _counts(counts: m.StepCounts) -> str:
    return ", ".join(f"{number} {state}" for state, number in counts.items() if number)
