"""Job and sweep documents from Python arguments."""

from __future__ import annotations

import os
import re
import shlex
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import Any, Dict, Mapping, Optional, Sequence, Union, cast

from . import _models as m
from ._errors import SettingsError
from ._settings import current_environment

Command = Union[str, Sequence[str]]
Duration = Union[str, timedelta]
Address = Union[str, "os.PathLike[str]"]
Scalar = Union[str, int, float, bool]

_INTERPRETER = re.compile(r"^(node|python\d*(\.\d+)?|bash|sh|env|torchrun|accelerate|uv|npx)$")


def job_document(
    command: Command,
    *,
    gpus: int = 1,
    nodes: int = 1,
    interconnect: Optional[str] = None,
    team: Optional[str] = None,
    name: Optional[str] = None,
    project: Optional[str] = None,
    labels: Optional[Mapping[str, str]] = None,
    workload_class: Optional[m.JobClass] = None,
    image: Optional[str] = None,
    env: Optional[Mapping[str, Scalar]] = None,
    accelerators: Optional[Sequence[str]] = None,
    estimate: Optional[Duration] = None,
    max_duration: Optional[Duration] = None,
    deadline: Optional[Union[str, datetime]] = None,
    priority: Optional[int] = None,
    approval_above_usd: Optional[float] = None,
    checkpoint: Optional[str] = None,
    data: Optional[Mapping[str, Address]] = None,
    outputs: Optional[Mapping[str, str]] = None,
    metrics: Optional[Sequence[str]] = None,
    spec: Optional[Mapping[str, Any]] = None,
) -> m.JobDocument:
    """A ``kind: Job`` document.

    ``command`` is a list of words, or text that is split like a shell would. No shell runs it.
    ``data`` maps a mount path to a URI or a local path, ``outputs`` a name to the path that the job
    writes. ``metrics`` are patterns of its output, such as ``"epoch {step} loss={loss}"``.
    ``team`` defaults to ``SPILLWAY_TEAM``. ``spec`` holds further fields of docs/job-file.md.
    """
    words = split_command(command)
    fields = {
        "command": words,
        "nodes": nodes,
        "interconnect": interconnect,
        "resources": _given({"gpus": gpus, "accelerators": _list(accelerators)}),
        "class": workload_class,
        "image": image,
        "env": None if env is None else dict(env),
        "duration": _given({"estimate": duration_text(estimate), "max": duration_text(max_duration)}) or None,
        "deadline": _time_text(deadline),
        "priority": priority,
        "approvalAboveUsd": approval_above_usd,
        "checkpoint": None if checkpoint is None else {"path": checkpoint},
        "data": None if data is None else [{"uri": _uri(at), "mount": mount} for mount, at in data.items()],
        "outputs": None if outputs is None else [{"name": key, "path": path} for key, path in outputs.items()],
        "metrics": _list(metrics),
        **(spec or {}),
    }
    metadata = _metadata(name or name_of(words), team, project, labels)
    document = {"apiVersion": "spillway/v1", "kind": "Job", "metadata": metadata, "spec": _given(fields)}
    return cast(m.JobDocument, document)


def sweep_document(
    command: Command,
    *,
    grid: Optional[Mapping[str, Sequence[Scalar]]] = None,
    draw: Optional[Mapping[str, Union[Sequence[Scalar], Mapping[str, Any]]]] = None,
    trials: Optional[int] = None,
    seed: int = 1,
    points: Optional[Sequence[Mapping[str, Scalar]]] = None,
    parallel: Optional[int] = None,
    retry: Optional[int] = None,
    metric: Optional[str] = None,
    goal: str = "minimize",
    rule: str = "median",
    warmup: Optional[int] = None,
    target: Optional[float] = None,
    budget_usd: Optional[float] = None,
    deadline: Optional[Union[str, datetime]] = None,
    **job: Any,
) -> Dict[str, Any]:
    """A ``kind: Sweep`` document: ``${{ trial.NAME }}`` in the command is the value of a trial.

    Give exactly one of ``grid`` (all combinations), ``draw`` with ``trials`` (random) and ``points``
    (one by one). With ``metric``, ``rule`` stops trials early. ``job`` takes the arguments of
    ``job_document``.
    """
    whole = cast(Dict[str, Any], job_document(command, **job))
    stop = {"metric": metric, "goal": goal, "rule": rule, "warmup": warmup, "target": target}
    fields = {
        "grid": None if grid is None else {key: list(values) for key, values in grid.items()},
        "random": None if draw is None else {"trials": trials, "seed": seed, "draw": dict(draw)},
        "list": None if points is None else [dict(point) for point in points],
        "parallel": parallel,
        "retry": retry,
        "stop": None if metric is None else _given(stop),
        "budgetUsd": budget_usd,
        "deadline": _time_text(deadline),
        "job": whole["spec"],
    }
    return {**whole, "kind": "Sweep", "spec": _given(fields)}


def split_command(command: Command) -> Sequence[str]:
    """The words of a command."""
    words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    if not words:
        raise ValueError("The command is empty. Give at least a program.")
    return words


def name_of(words: Sequence[str]) -> str:
    """``python train.py`` is named train, as on the command line."""
    script = next((word for word in words[1:] if not word.startswith("-") and " " not in word and "=" not in word), None)
    program = PurePath(words[0]).name
    word = script if script is not None and _INTERPRETER.match(program) else words[0]
    stem = re.sub(r"\.[A-Za-z]+$", "", PurePath(word).name)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem)
    return re.sub(r"[^A-Za-z0-9]+$", "", re.sub(r"^[^A-Za-z0-9]+", "", name)[:55]) or "job"


def duration_text(value: Optional[Duration]) -> Optional[str]:
    """A duration as Spillway writes it, such as 90s."""
    if not isinstance(value, timedelta):
        return value
    return f"{round(value.total_seconds() * 1000)}ms"


def _time_text(value: Optional[Union[str, datetime]]) -> Optional[str]:
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("The deadline needs a time zone, for example datetime(..., tzinfo=timezone.utc).")
    return value.isoformat(timespec="milliseconds")


def _metadata(
    name: str, team: Optional[str], project: Optional[str], labels: Optional[Mapping[str, str]]
) -> Dict[str, Any]:
    paying = team or current_environment().get("SPILLWAY_TEAM")
    if not paying:
        raise SettingsError("No team pays for this job. Set team or SPILLWAY_TEAM.")
    return _given({"name": name, "team": paying, "project": project, "labels": None if labels is None else dict(labels)})


def _uri(address: Address) -> str:
    return address if isinstance(address, str) else Path(address).resolve().as_uri()


def _given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _list(values: Optional[Sequence[str]]) -> Optional[Sequence[str]]:
    return [values] if isinstance(values, str) else None if values is None else list(values)


def read_document(document: Union[Mapping[str, Any], str, "os.PathLike[str]"]) -> Union[Mapping[str, Any], str]:
    """A document as it is, or the text of a file."""
    if isinstance(document, os.PathLike):
        with open(document, encoding="utf-8") as file:
            return file.read()
    return document


def kind_of(document: Union[Mapping[str, Any], str]) -> str:
    """Job, Pipeline or Sweep."""
    if not isinstance(document, str):
        return str(document.get("kind", "Job"))
    found = re.search(r"""^\s*["']?kind["']?\s*:\s*["']?(\w+)""", document, re.MULTILINE)
    return found.group(1) if found else "Job"
