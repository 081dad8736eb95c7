"""Waiting for an end."""

from __future__ import annotations

import time
from typing import Callable, Optional

from ._errors import WaitTimeoutError

POLL_SECONDS_MAX = 10.0
POLL_GROWTH = 1.3


def wait_until(ended: Callable[[], bool], *, timeout: Optional[float], poll_seconds: float, what: str) -> None:
    """Polls until it has ended, first every ``poll_seconds``, later less often."""
    end = None if timeout is None else time.monotonic() + timeout
    pause = poll_seconds
    while not ended():
        left = None if end is None else end - time.monotonic()
        if left is not None and left <= 0:
            raise WaitTimeoutError(f"{what} has not ended after {timeout:g} s. It continues.")
        time.sleep(pause if left is None else min(pause, left))
        pause = min(pause * POLL_GROWTH, max(POLL_SECONDS_MAX, poll_seconds))
