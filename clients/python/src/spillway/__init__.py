"""Spillway from Python: submit, quote, wait, read logs, download results.

    import spillway

    job = spillway.run("python train.py", gpus=8, team="risk", outputs={"model": "out"})
    for line in job.logs(follow=True):
        print(line)
    job.wait().artifacts["model"].download("model")

The functions use ``SPILLWAY_URL`` and the token of ``spillway login``; ``Client`` takes others.
"""

from . import _models as models
from ._artifacts import Artifact
from ._client import Client
from ._documents import job_document, sweep_document
from ._errors import (
    ApiError,
    ConflictError,
    ForbiddenError,
    JobFailedError,
    NotFoundError,
    SettingsError,
    SpillwayError,
    UnreachableError,
    WaitTimeoutError,
)
from ._jobs import Job, LogLine
from ._pipelines import Pipeline, Sweep
from ._quotes import PipelineQuote, Quote

_client = Client()

run = _client.run
quote = _client.quote
sweep = _client.sweep
submit = _client.submit
quote_document = _client.quote_document
job = _client.job
jobs = _client.jobs
pipeline = _client.pipeline

__all__ = [
    "ApiError",
    "Artifact",
    "Client",
    "ConflictError",
    "ForbiddenError",
    "Job",
    "JobFailedError",
    "LogLine",
    "NotFoundError",
    "Pipeline",
    "PipelineQuote",
    "Quote",
    "SettingsError",
    "SpillwayError",
    "Sweep",
    "UnreachableError",
    "WaitTimeoutError",
    "job",
    "job_document",
    "jobs",
    "models",
    "pipeline",
    "quote",
    "quote_document",
    "run",
    "submit",
    "sweep",
    "sweep_document",
]
