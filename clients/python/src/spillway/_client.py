"""The client that the functions of the package use."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any, Iterator, Mapping, Optional, Sequence, Union, cast

from . import _models as m
from ._documents import Address, Command, Duration, Scalar, job_document, kind_of, read_document, sweep_document
from ._jobs import Job
from ._operations import Operations
from ._pipelines import Pipeline, Sweep
from ._quotes import PipelineQuote, Quote
from ._transport import Transport

Document = Union[Mapping[str, Any], str, "os.PathLike[str]"]


class Client:
    """A server and a token.

    ``url`` defaults to ``SPILLWAY_URL``, ``token`` to ``SPILLWAY_TOKEN`` or ``spillway login``.
    ``api`` has one method for each operation of the REST API.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None) -> None:
        self._transport = Transport(url, token)
        self.api = Operations(self._transport)

    def run(
        self,
        command: Command,
        *,
        gpus: int = 1,
        nodes: int = 1,
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
    ) -> Job:
        """Submits a job. ``gpus`` are per node; the arguments are those of ``job_document``."""
        return self._submit_job(job_document(**_arguments(locals())))

    def quote(
        self,
        command: Command,
        *,
        gpus: int = 1,
        nodes: int = 1,
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
    ) -> Quote:
        """Quotes a job with the arguments of ``run``. Nothing is written."""
        return Quote(self.api.job.quote(job_document(**_arguments(locals()))))

    def sweep(
        self,
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
    ) -> Sweep:
        """Submits a sweep. The arguments are those of ``sweep_document``; ``job`` takes those of ``run``."""
        submitted = self.submit(sweep_document(**_arguments(locals()), **job))
        assert isinstance(submitted, Sweep)
        return submitted

    def submit(self, document: Document) -> Union[Job, Pipeline]:
        """Submits a job, pipeline or sweep: a document, YAML text, or the path of a file."""
        content = read_document(document)
        kind = kind_of(content)
        if kind not in ("Pipeline", "Sweep"):
            return self._submit_job(content)
        id = self.api.pipeline.create(cast(m.PipelineCreateBody, _pipeline_body(content)))["id"]
        return Sweep(self.api, id) if kind == "Sweep" else Pipeline(self.api, id)

    def quote_document(self, document: Document) -> Union[Quote, PipelineQuote]:
        """Quotes what ``submit`` would submit. Nothing is written."""
        content = read_document(document)
        if kind_of(content) in ("Pipeline", "Sweep"):
            return PipelineQuote(self.api.pipeline.quote(cast(m.PipelineCreateBody, _pipeline_body(content))))
        return Quote(self.api.job.quote(cast(Union[m.JobDocument, str], content)))

    def job(self, id: str) -> Job:
        """The job with this id. Nothing is requested yet."""
        return Job(self._transport, self.api, id)

    def pipeline(self, id: str) -> Pipeline:
        """The pipeline with this id. Nothing is requested yet."""
        return Pipeline(self.api, id)

    def jobs(
        self,
        *,
        state: Optional[Sequence[m.JobState]] = None,
        team: Optional[Sequence[str]] = None,
        q: Optional[str] = None,
        limit: int = 50,
    ) -> Iterator[Job]:
        """The newest ``limit`` jobs. ``q`` is part of a name or the beginning of an id."""
        cursor: Optional[str] = None
        while limit > 0:
            page = self.api.job.list(state=state, team=team, q=q, limit=min(limit, 200), cursor=cursor)
            for item in page["items"]:
                yield self.job(item["id"])
            limit -= len(page["items"])
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def _submit_job(self, document: Any) -> Job:
        submitted = cast(m.SubmittedJob, self.api.job.create(document))
        return self.job(submitted["id"])


def _pipeline_body(content: Union[Mapping[str, Any], str]) -> Any:
    return {"text": content} if isinstance(content, str) else {"document": content}


def _arguments(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of a method, to pass on."""
    return {name: value for name, value in values.items() if name not in ("self", "job")}
