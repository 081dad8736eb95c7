"""Quotes."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import List, Optional

from . import _models as m
from ._html import table, usd, usd_text


class Quote:
    """Where, when and at what cost a job would run. Nothing was written."""

    def __init__(self, data: m.Quote) -> None:
        self.data = data

    @property
    def outcome(self) -> m.Outcome:
        """What would happen now: hold, place_home, launch, wait or fail."""
        return self.data["outcome"]

    @property
    def reason(self) -> str:
        """Why."""
        return self.data["reason"]["message"]

    @property
    def expected_usd(self) -> Optional[Decimal]:
        """Cash that the job is expected to cost; None when it could not run."""
        expected = self.data["expected"]
        return None if expected is None else usd(expected["cashMicroUsd"])

    @property
    def start(self) -> Optional[datetime]:
        """Median start; None when the job could not run."""
        expected = self.data["expected"]
        return None if expected is None else _instant(expected["start"]["p50Ms"])

    @property
    def finish(self) -> Optional[datetime]:
        """Median finish; None when the job could not run."""
        expected = self.data["expected"]
        return None if expected is None else _instant(expected["finish"]["p50Ms"])

    @property
    def needs_approval(self) -> bool:
        return self.data["verdict"] == "needs_approval"

    @property
    def candidates(self) -> List[m.QuotedCandidate]:
        """Eligible places, best first."""
        return self.data["candidates"]

    @property
    def suggestions(self) -> List[str]:
        """What would be cheaper or sooner."""
        return [suggestion["sentence"] for suggestion in self.data["suggestions"]]

    def __repr__(self) -> str:
        return f"<Quote {self.outcome}: {usd_text(self.expected_usd) or 'no cost'}, {self.reason}>"

    def _repr_html_(self) -> str:
        rows = [
            [
                candidate["placement"]["region"] or candidate["placement"]["siteId"],
                candidate["placement"]["capacityType"],
                candidate["placement"]["instanceType"] or candidate["placement"]["accelerator"],
                usd_text(usd(candidate["cashMicroUsd"])),
                usd_text(usd(candidate["worstCaseMicroUsd"])),
                candidate["emissionsGrams"],
            ]
            for candidate in self.candidates[:8]
        ]
        return table(f"{self.outcome}: {self.reason}", rows, ["place", "capacity", "type", "expected", "at most", "CO2 g"])


class PipelineQuote:
    """Start, finish and cost of a pipeline or sweep, as a whole and of each step."""

    def __init__(self, data: m.PipelineQuote) -> None:
        self.data = data

    @property
    def expected_usd(self) -> Decimal:
        return usd(self.data["expectedMicroUsd"]) or Decimal(0)

    @property
    def maximum_usd(self) -> Decimal:
        """The most that it may cost. This amount is held."""
        return usd(self.data["maximumMicroUsd"]) or Decimal(0)

    def __repr__(self) -> str:
        return f"<PipelineQuote {self.data['name']}: {usd_text(self.expected_usd)}, at most {usd_text(self.maximum_usd)}>"

    def _repr_html_(self) -> str:
        rows = [
            [step["name"], step["runs"], step["finish"]["p50"], usd_text(usd(step["expectedMicroUsd"])), step["reason"]]
            for step in self.data["stepList"][:50]
        ]
        title = f"{self.data['name']}: {usd_text(self.expected_usd)}, at most {usd_text(self.maximum_usd)}"
        return table(title, rows, ["step", "runs", "finish", "expected", "problem"])


def _instant(ms: float) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone.utc)
