"""Small HTML tables for notebooks."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from html import escape
from typing import Any, Optional, Sequence


def table(title: str, rows: Sequence[Sequence[Any]], header: Sequence[str] = ()) -> str:
    """A titled table. Every cell is escaped."""
    head = f"<tr>{''.join(f'<th>{escape(str(cell))}</th>' for cell in header)}</tr>" if header else ""
    body = "".join(f"<tr>{''.join(f'<td>{escape(_text(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<div><strong>{escape(title)}</strong><table>{head}{body}</table></div>"


def _text(cell: Any) -> str:
    return "–" if cell is None else str(cell)


def usd(micro: Optional[str]) -> Optional[Decimal]:
    """Dollars of a decimal text of micro-dollars."""
    return None if micro is None else Decimal(micro) / 1_000_000


def usd_text(amount: Optional[Decimal]) -> Optional[str]:
    """Dollars for people: cents, or four significant digits below a cent."""
    if amount is None:
        return None
    return f"${amount:,.2f}" if amount == 0 or abs(amount) >= Decimal("0.01") else f"${amount:.6f}"


def instant(text: Optional[str]) -> Optional[datetime]:
    """A time of the API, in UTC."""
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


def minutes_text(ms: Optional[float]) -> Optional[str]:
    """A length of time for people."""
    if ms is None:
        return None
    seconds = round(ms / 1000)
    hours, rest = divmod(seconds, 3600)
    if hours:
        return f"{hours} h {rest // 60} min"
    return f"{rest // 60} min {rest % 60} s" if rest >= 60 else f"{rest} s"
