"""``python -m spillway``: submits a job, prints its log, and ends with its outcome. For CI and pipeline tools."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from ._client import Client
from ._errors import SpillwayError


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns 0 when the job succeeded, 1 when it did not, 2 when it could not be submitted."""
    given = _parser().parse_args(arguments)
    client = Client()
    command = given.words if given.words else shlex.split(given.command or "")
    try:
        job = client.run(
            command,
            gpus=given.gpus,
            team=given.team or None,
            name=given.name or None,
            image=given.image or None,
            estimate=given.estimate or None,
            max_duration=given.max_duration or None,
            env=_pairs(given.env),
            outputs=_pairs(given.output),
            approval_above_usd=given.approval_above_usd,
        )
    except (SpillwayError, ValueError) as error:
        print(f"spillway: {error}", file=sys.stderr)
        return 2
    print(f"{job.id} submitted", file=sys.stderr, flush=True)
    if given.id_file:
        _write(given.id_file, job.id)
    if os.environ.get("GITHUB_OUTPUT"):
        with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(f"job-id={job.id}\n")
    if given.no_wait:
        return 0
    try:
        for line in job.logs(follow=True):
            print(line, flush=True)
        job.wait(check=False)
        if job.state == "succeeded":
            for name, folder in _pairs(given.download).items():
                job.artifacts[name].download(folder)
    except (SpillwayError, KeyError) as error:
        print(f"spillway: {error}", file=sys.stderr)
        return 1
    print(f"{job.id} {job.state}: {job.reason}", file=sys.stderr)
    return 0 if job.state == "succeeded" else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spillway", description=__doc__)
    parser.add_argument("--command", help="the command as text, split as a shell would")
    parser.add_argument("--gpus", type=int, default=1, help="GPUs per node")
    parser.add_argument("--team", help="the team that pays (default: SPILLWAY_TEAM)")
    parser.add_argument("--name", help="name of the job (default: from the command)")
    parser.add_argument("--image", help="container image")
    parser.add_argument("--estimate", help="expected run time, for example 6h")
    parser.add_argument("--max-duration", help="the job is stopped after this time")
    parser.add_argument("--approval-above-usd", type=_amount, help="finance approves cloud placements above this")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", type=_pair)
    parser.add_argument("--output", action="append", default=[], metavar="NAME=PATH", type=_pair)
    parser.add_argument("--download", action="append", default=[], metavar="NAME=FOLDER", type=_pair)
    parser.add_argument("--id-file", help="file that the job's id is written to")
    parser.add_argument("--no-wait", action="store_true", help="end after the submission")
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the command in words, after --")
    return parser


def _amount(text: str) -> Optional[float]:
    return float(text) if text else None


def _pair(text: str) -> str:
    if any(line.strip() and "=" not in line for line in text.splitlines()):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return text


def _pairs(texts: List[str]) -> Dict[str, str]:
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return {line.split("=", 1)[0]: line.split("=", 1)[1] for line in lines if line}


def _write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
