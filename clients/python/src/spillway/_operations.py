# Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.
"""One method for each operation of the REST API."""

from __future__ import annotations

from typing import Any, BinaryIO, Dict, Iterator, List, Literal, Optional, Sequence, Union, cast

from . import _models as m
from ._transport import Transport, join



class JobOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Union[m.JobDocument, m.JobCreateBody, str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.JobCreateOutput:
        """Submit one job, or up to 1,000 as {items}: all are accepted or none.

        With `script`, what was carried over from it is kept with the jobs. YAML needs
        `Content-Type: application/yaml`.
        """
        return cast(
            m.JobCreateOutput,
            self._transport.json(
                "POST",
                join("/jobs"),
                body=body,
                text_type="application/yaml",
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        state: Optional[Union[m.JobState, Sequence[m.JobState]]] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.JobClass, Sequence[m.JobClass]]] = None,
        site: Optional[str] = None,
        mine: Optional[bool] = None,
        trials: Optional[Literal["all", "live"]] = None,
        q: Optional[str] = None,
        ended_since: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.JobListOutput:
        """List jobs, newest first.

        `site=cloud` means every cloud; `trials=live` leaves out trials of sweeps that are not
        placed; `q` is part of a name or the beginning of an id.
        """
        return cast(
            m.JobListOutput,
            self._transport.json(
                "GET",
                join("/jobs"),
                query={
                    "state": state,
                    "team": team,
                    "class": class_,
                    "site": site,
                    "mine": mine,
                    "trials": trials,
                    "q": q,
                    "endedSince": ended_since,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )

    def facets(
        self,
        *,
        state: Optional[Union[m.JobState, Sequence[m.JobState]]] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.JobClass, Sequence[m.JobClass]]] = None,
        site: Optional[str] = None,
        mine: Optional[bool] = None,
        trials: Optional[Literal["all", "live"]] = None,
        q: Optional[str] = None,
        ended_since: Optional[str] = None,
    ) -> m.JobFacets:
        """Count jobs by state, team, class and site with the filters of the list.

        The counts of a facet ignore its own filter, so each shows what choosing the value would
        list. Zero counts are left out.
        """
        return cast(
            m.JobFacets,
            self._transport.json(
                "GET",
                join("/jobs/facets"),
                query={
                    "state": state,
                    "team": team,
                    "class": class_,
                    "site": site,
                    "mine": mine,
                    "trials": trials,
                    "q": q,
                    "endedSince": ended_since,
                },
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.JobDetail:
        """Get a job with its attempts, instances and checkpoints.

        `imported` is what was carried over from the script, `adoption` the job at its cluster,
        `attemptList[].clusterWait` why a cluster keeps an attempt waiting.
        """
        return cast(
            m.JobDetail,
            self._transport.json(
                "GET",
                join("/jobs/{id}", id),
            ),
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.JobCancelOutput:
        """Cancel a job; a running job stops first.

        A waiting job is `cancelled` at once.
        """
        return cast(
            m.JobCancelOutput,
            self._transport.json(
                "POST",
                join("/jobs/{id}/cancel", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def act(
        self,
        body: Union[m.JobActBody, m.JobActBodyMove, m.JobActBodySetPriority],
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.JobActOutput:
        """Cancel, hold, release, resume, retry or move up to 1,000 jobs, or set their priority.

        Each job is changed completely or not at all and has its own result; `problem` says why
        one was not. `hold` keeps waiting jobs out of the queue until `release`; `retry` submits
        failed and cancelled jobs again; `move` lets running jobs continue on owned GPUs
        (`home`) or at another place in the `cloud` from their next checkpoint, once there is a
        place that the policy allows, and `stay` withdraws that; `set_priority` (0 to 100)
        changes waiting jobs and returns `priorityBefore`.
        """
        return cast(
            m.JobActOutput,
            self._transport.json(
                "POST",
                join("/jobs/actions"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def resume(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.JobResumeOutput:
        """Let a job that was held for attempts without progress use the cloud again.

        A job is held after two attempts in a row that saved nothing.
        """
        return cast(
            m.JobResumeOutput,
            self._transport.json(
                "POST",
                join("/jobs/{id}/resume", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def read_logs(
        self,
        id: str,
        *,
        attempt: Optional[int] = None,
        after: Optional[int] = None,
        tail: Optional[int] = None,
        limit: Optional[int] = None,
        follow: Optional[bool] = None,
    ) -> m.LogPage:
        """Read log lines of an attempt, or follow the job's log as NDJSON.

        By default the newest attempt. `follow=1` streams, see below.
        """
        return cast(
            m.LogPage,
            self._transport.json(
                "GET",
                join("/jobs/{id}/logs", id),
                query={
                    "attempt": attempt,
                    "after": after,
                    "tail": tail,
                    "limit": limit,
                    "follow": follow,
                },
            ),
        )

    def read_logs_lines(
        self,
        id: str,
        *,
        attempt: Optional[int] = None,
        after: Optional[int] = None,
        tail: Optional[int] = None,
        limit: Optional[int] = None,
        follow: Optional[bool] = None,
    ) -> Iterator[m.JobReadLogsLine]:
        """Read log lines of an attempt, or follow the job's log as NDJSON.

        By default the newest attempt. `follow=1` streams, see below.
        """
        return cast(
            Iterator[m.JobReadLogsLine],
            self._transport.lines(
                "GET",
                join("/jobs/{id}/logs", id),
                query={
                    "attempt": attempt,
                    "after": after,
                    "tail": tail,
                    "limit": limit,
                    "follow": follow,
                },
            ),
        )

    def decisions(
        self,
        id: str,
    ) -> m.JobDecisionsOutput:
        """List the decisions made for a job, newest first, with every place considered."""
        return cast(
            m.JobDecisionsOutput,
            self._transport.json(
                "GET",
                join("/jobs/{id}/decisions", id),
            ),
        )

    def replay(
        self,
        id: str,
        *,
        decision: Optional[str] = None,
    ) -> m.Replay:
        """Repeat a recorded decision with the facts recorded then.

        `same`, the size and SHA-256 of both, and the first `difference` (replay).
        """
        return cast(
            m.Replay,
            self._transport.json(
                "GET",
                join("/jobs/{id}/replay", id),
                query={
                    "decision": decision,
                },
            ),
        )

    def waiting(
        self,
        id: str,
    ) -> m.Waiting:
        """Explain why a job is waiting and what would change that."""
        return cast(
            m.Waiting,
            self._transport.json(
                "GET",
                join("/jobs/{id}/waiting", id),
            ),
        )

    def gpu_use(
        self,
        id: str,
    ) -> m.JobGpuUse:
        """Get GPU utilization and power of a job's cloud machines.

        At most 240 stretches of `stepMs`, as the machines measured them.
        """
        return cast(
            m.JobGpuUse,
            self._transport.json(
                "GET",
                join("/jobs/{id}/gpu-use", id),
            ),
        )

    def receipt(
        self,
        id: str,
    ) -> m.Receipt:
        """Get the cost of a job by attempt and line.

        With the cost of the alternatives.
        """
        return cast(
            m.Receipt,
            self._transport.json(
                "GET",
                join("/jobs/{id}/receipt", id),
            ),
        )

    def metrics(
        self,
        id: str,
    ) -> m.JobMetricsOutput:
        """Metrics that a job reported, with at most 500 points each."""
        return cast(
            m.JobMetricsOutput,
            self._transport.json(
                "GET",
                join("/jobs/{id}/metrics", id),
            ),
        )

    def mlflow(
        self,
        id: str,
    ) -> m.JobMlflowOutput:
        """Runs of a job that are forwarded to an MLflow server."""
        return cast(
            m.JobMlflowOutput,
            self._transport.json(
                "GET",
                join("/jobs/{id}/mlflow", id),
            ),
        )

    def quote(
        self,
        body: Union[m.JobDocument, str],
    ) -> m.Quote:
        """Estimate where, when and at what cost a job would run; writes nothing.

        `deadlineRisk` of each place, `suggestions` that are cheaper or sooner, who would answer
        an `approval` (quotes).
        """
        return cast(
            m.Quote,
            self._transport.json(
                "POST",
                join("/quotes"),
                body=body,
                text_type="application/yaml",
            ),
        )

    def import_batch_script(
        self,
        body: Union[m.JobImportBatchScriptBody, str],
        *,
        team: Optional[str] = None,
        zone_offset_minutes: Optional[int] = None,
    ) -> m.Import:
        """Convert a Slurm batch script to jobs and report each line; submits nothing."""
        return cast(
            m.Import,
            self._transport.json(
                "POST",
                join("/imports/sbatch"),
                query={
                    "team": team,
                    "zoneOffsetMinutes": zone_offset_minutes,
                },
                body=body,
                text_type="text/plain",
            ),
        )

    def import_manifests(
        self,
        body: Union[m.JobImportBatchScriptBody, str],
        *,
        team: Optional[str] = None,
        zone_offset_minutes: Optional[int] = None,
    ) -> m.Import:
        """Convert Kubernetes manifests to jobs and report each field; submits nothing."""
        return cast(
            m.Import,
            self._transport.json(
                "POST",
                join("/imports/kubernetes"),
                query={
                    "team": team,
                    "zoneOffsetMinutes": zone_offset_minutes,
                },
                body=body,
                text_type="text/plain",
            ),
        )


class ViewOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.ViewListOutput:
        """List your saved views of the job list, and those shared with your teams.

        `query` is the part of the address of Jobs after `?`.
        """
        return cast(
            m.ViewListOutput,
            self._transport.json(
                "GET",
                join("/views"),
            ),
        )

    def create(
        self,
        body: m.ViewCreateBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.SavedView:
        """Save a view of the job list, for yourself or shared with a team.

        At most 50 for each person; names are unique among them.
        """
        return cast(
            m.SavedView,
            self._transport.json(
                "POST",
                join("/views"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def update(
        self,
        id: str,
        body: Optional[m.ViewUpdateBody] = None,
    ) -> m.SavedView:
        """Rename, change or share a view of yours."""
        return cast(
            m.SavedView,
            self._transport.json(
                "PATCH",
                join("/views/{id}", id),
                body=body,
            ),
        )

    def delete(
        self,
        id: str,
    ) -> m.ViewDeleteOutput:
        """Delete a view of yours."""
        return cast(
            m.ViewDeleteOutput,
            self._transport.json(
                "DELETE",
                join("/views/{id}", id),
            ),
        )


class PipelineOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Optional[Union[m.PipelineCreateBody, str]] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.PipelineCreateOutput:
        """Submit a pipeline or sweep: all of its steps are accepted or none.

        The body is the file itself (JSON, or YAML as application/yaml), or {text, parameters}
        or {document, parameters}.
        """
        return cast(
            m.PipelineCreateOutput,
            self._transport.json(
                "POST",
                join("/pipelines"),
                body=body,
                text_type="application/yaml",
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        state: Optional[Union[m.PipelineState, Sequence[m.PipelineState]]] = None,
        kind: Optional[Literal["Pipeline", "Sweep"]] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        q: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.PipelineListOutput:
        """List pipelines and sweeps, newest first."""
        return cast(
            m.PipelineListOutput,
            self._transport.json(
                "GET",
                join("/pipelines"),
                query={
                    "state": state,
                    "kind": kind,
                    "team": team,
                    "q": q,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )

    def quote(
        self,
        body: Optional[Union[m.PipelineCreateBody, str]] = None,
    ) -> m.PipelineQuote:
        """Quote a pipeline or sweep: start, finish, cost and emissions of the whole and of each
        step.

        The body is that of a submission. Later steps are quoted at present prices and queues.
        Nothing is written.
        """
        return cast(
            m.PipelineQuote,
            self._transport.json(
                "POST",
                join("/pipelines/quotes"),
                body=body,
                text_type="application/yaml",
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.PipelineDetail:
        """Get a pipeline with the state, cost and times of each step."""
        return cast(
            m.PipelineDetail,
            self._transport.json(
                "GET",
                join("/pipelines/{id}", id),
            ),
        )

    def runs(
        self,
        id: str,
        *,
        step: Optional[str] = None,
        after: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> m.PipelineRunsOutput:
        """List the runs of a pipeline's steps with their jobs."""
        return cast(
            m.PipelineRunsOutput,
            self._transport.json(
                "GET",
                join("/pipelines/{id}/runs", id),
                query={
                    "step": step,
                    "after": after,
                    "limit": limit,
                },
            ),
        )

    def trials(
        self,
        id: str,
        *,
        metric: Optional[str] = None,
    ) -> m.Trials:
        """List the trials of a sweep with their values, metric and cost.

        At most 2,000 trials.
        """
        return cast(
            m.Trials,
            self._transport.json(
                "GET",
                join("/pipelines/{id}/trials", id),
                query={
                    "metric": metric,
                },
            ),
        )

    def import_workflows(
        self,
        body: Union[m.JobImportBatchScriptBody, str],
        *,
        team: Optional[str] = None,
        zone_offset_minutes: Optional[int] = None,
    ) -> m.ImportedPipelines:
        """Convert Argo workflows or a compiled Kubeflow pipeline to pipelines and report each
        loss; submits nothing.

        What is carried over.
        """
        return cast(
            m.ImportedPipelines,
            self._transport.json(
                "POST",
                join("/imports/pipelines"),
                query={
                    "team": team,
                    "zoneOffsetMinutes": zone_offset_minutes,
                },
                body=body,
                text_type="text/plain",
            ),
        )

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.PipelineCancelOutput:
        """Cancel a pipeline; running jobs stop first."""
        return cast(
            m.PipelineCancelOutput,
            self._transport.json(
                "POST",
                join("/pipelines/{id}/cancel", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def retry(
        self,
        id: str,
        body: Optional[m.PipelineRetryBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.PipelineRetryOutput:
        """Run the unsuccessful steps of an ended pipeline again, or a step and all that need it."""
        return cast(
            m.PipelineRetryOutput,
            self._transport.json(
                "POST",
                join("/pipelines/{id}/retry", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class TriggerOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        body: Optional[Union[m.TriggerCreateBody, str]] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TriggerCreateOutput:
        """Save a trigger, or change the one of the same name and team.

        The body is the file itself, or {text} or {document}. A new key of a webhook is shown
        once.
        """
        return cast(
            m.TriggerCreateOutput,
            self._transport.json(
                "POST",
                join("/triggers"),
                body=body,
                text_type="application/yaml",
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        team: Optional[str] = None,
    ) -> m.TriggerListOutput:
        """List triggers with their next time and last firings."""
        return cast(
            m.TriggerListOutput,
            self._transport.json(
                "GET",
                join("/triggers"),
                query={
                    "team": team,
                },
            ),
        )

    def enable(
        self,
        id: str,
        body: Optional[m.TriggerEnableBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TriggerEnableOutput:
        """Enable or disable a trigger."""
        return cast(
            m.TriggerEnableOutput,
            self._transport.json(
                "POST",
                join("/triggers/{id}/enable", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def remove(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TriggerRemoveOutput:
        """Delete a trigger; its pipelines stay."""
        return cast(
            m.TriggerRemoveOutput,
            self._transport.json(
                "DELETE",
                join("/triggers/{id}", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class TemplateOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        team: Optional[str] = None,
    ) -> m.TemplateListOutput:
        """List the templates of your teams by name."""
        return cast(
            m.TemplateListOutput,
            self._transport.json(
                "GET",
                join("/templates"),
                query={
                    "team": team,
                },
            ),
        )

    def save(
        self,
        body: Optional[m.TemplateSaveBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TemplateSaveOutput:
        """Save a job, pipeline or sweep as a template of its team, or a new version of one.

        One of `text`, `document` and `pipelineId`. 201 for a new template. A change needs
        `baseVersion`, the version that it is based on; 409 when another version was saved
        since.
        """
        return cast(
            m.TemplateSaveOutput,
            self._transport.json(
                "POST",
                join("/templates"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def get(
        self,
        id: str,
        *,
        version: Optional[int] = None,
    ) -> m.TemplateDetail:
        """Get a template with its parameters, file and versions.

        Without `version`, the current one.
        """
        return cast(
            m.TemplateDetail,
            self._transport.json(
                "GET",
                join("/templates/{id}", id),
                query={
                    "version": version,
                },
            ),
        )

    def remove(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TemplateRemoveOutput:
        """Delete a template; its runs stay."""
        return cast(
            m.TemplateRemoveOutput,
            self._transport.json(
                "DELETE",
                join("/templates/{id}", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def quote(
        self,
        id: str,
        body: Optional[m.TemplateQuoteBody] = None,
    ) -> m.TemplateQuote:
        """Quote a template with values for its parameters; writes nothing."""
        return cast(
            m.TemplateQuote,
            self._transport.json(
                "POST",
                join("/templates/{id}/quotes", id),
                body=body,
            ),
        )

    def run(
        self,
        id: str,
        body: Optional[m.TemplateQuoteBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.TemplateRun:
        """Submit a template with values for its parameters.

        With `version`, 409 when another version was saved since.
        """
        return cast(
            m.TemplateRun,
            self._transport.json(
                "POST",
                join("/templates/{id}/runs", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class PerformanceOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def by(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        group_by: Optional[m.PerformanceGroupBy] = None,
    ) -> m.Performance:
        """Get waits, time to model, throughput, GPU utilization and lost GPU-hours by dimension or
        by time.

        Jobs count where they ended in the range, by their last placement; attempts by their own
        (performance). The last 30 days by team by default.
        """
        return cast(
            m.Performance,
            self._transport.json(
                "GET",
                join("/performance"),
                query={
                    "from": from_,
                    "to": to,
                    "groupBy": group_by,
                },
            ),
        )

    def report(
        self,
        id: str,
        body: m.PerformanceReportBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.GpuUseReading:
        """Report GPU utilization of a node at home.

        `text` is the metrics page of the DCGM exporter, or `nvidia-smi
        --query-gpu=index,utilization.gpu --format=csv`.
        """
        return cast(
            m.GpuUseReading,
            self._transport.json(
                "POST",
                join("/sites/{id}/gpu-use", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class ArtifactOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        id: str,
    ) -> m.ArtifactListOutput:
        """List the results of a job with their files, newest attempt first."""
        return cast(
            m.ArtifactListOutput,
            self._transport.json(
                "GET",
                join("/jobs/{id}/artifacts", id),
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.Artifact:
        """Get a result with its files, sizes and SHA-256 sums."""
        return cast(
            m.Artifact,
            self._transport.json(
                "GET",
                join("/artifacts/{id}", id),
            ),
        )

    def delete(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ArtifactDeleteOutput:
        """Delete the files of a result; its record stays as lineage."""
        return cast(
            m.ArtifactDeleteOutput,
            self._transport.json(
                "DELETE",
                join("/artifacts/{id}", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def lineage(
        self,
        id: str,
    ) -> m.ArtifactLineage:
        """Get what produced a result, what that cost, and the jobs that used it."""
        return cast(
            m.ArtifactLineage,
            self._transport.json(
                "GET",
                join("/artifacts/{id}/lineage", id),
            ),
        )

    def deliver(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ArtifactDeliverOutput:
        """Retry the undelivered copies of a result now."""
        return cast(
            m.ArtifactDeliverOutput,
            self._transport.json(
                "POST",
                join("/artifacts/{id}/deliver", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def download(
        self,
        id: str,
        *,
        path: str,
    ) -> BinaryIO:
        """Download one file of a result; accepts one byte range."""
        return self._transport.file(
            "GET",
            join("/artifacts/{id}/content", id),
            query={
                "path": path,
            },
        )

    def create_link(
        self,
        id: str,
        body: m.ArtifactCreateLinkBody,
    ) -> m.ArtifactCreateLinkOutput:
        """Create a link that downloads one file of a result without a token, for at most an hour."""
        return cast(
            m.ArtifactCreateLinkOutput,
            self._transport.json(
                "POST",
                join("/artifacts/{id}/links", id),
                body=body,
            ),
        )


class SiteOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.SiteListOutput:
        """List sites with pools, slots, health and the last sweep.

        `slots` one by one in pools of at most 1,024 GPUs.
        """
        return cast(
            m.SiteListOutput,
            self._transport.json(
                "GET",
                join("/sites"),
            ),
        )

    def add(
        self,
        body: m.SiteAddBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.SiteSettings:
        """Connect a cloud account or a cluster; credentials are stored encrypted.

        `credentials` are `{kind: "chain"}` (the default), `{kind: "stored", values}`, `{kind:
        "file", path}` or `{kind: "environment", name}`.
        """
        return cast(
            m.SiteSettings,
            self._transport.json(
                "POST",
                join("/sites"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def check_draft(
        self,
        body: Optional[m.SiteCheckDraftBody] = None,
    ) -> Iterator[m.CheckStep]:
        """Check a site before it is stored; streams one step per line.

        `outcome` of a step is `passed`, `failed`, `unknown` or `skipped`.
        """
        return cast(
            Iterator[m.CheckStep],
            self._transport.lines(
                "POST",
                join("/sites/check"),
                body=body,
            ),
        )

    def kinds(
        self,
    ) -> m.SiteKindsOutput:
        """List the supported providers with their settings and least permissions."""
        return cast(
            m.SiteKindsOutput,
            self._transport.json(
                "GET",
                join("/site-kinds"),
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.SiteSettings:
        """Get a site's settings and where its credentials are; never the credentials."""
        return cast(
            m.SiteSettings,
            self._transport.json(
                "GET",
                join("/sites/{id}", id),
            ),
        )

    def change(
        self,
        id: str,
        body: Optional[m.SiteChangeBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.SiteSettings:
        """Change, enable or disable a site; omitted fields keep their values."""
        return cast(
            m.SiteSettings,
            self._transport.json(
                "PATCH",
                join("/sites/{id}", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def remove(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.SiteRemoveOutput:
        """Remove a disabled site that has no live machines or jobs."""
        return cast(
            m.SiteRemoveOutput,
            self._transport.json(
                "DELETE",
                join("/sites/{id}", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def check_stored(
        self,
        id: str,
        body: Optional[m.SiteCheckStoredBody] = None,
    ) -> Iterator[m.CheckStep]:
        """Check a stored site, optionally with other settings; streams one step per line."""
        return cast(
            Iterator[m.CheckStep],
            self._transport.lines(
                "POST",
                join("/sites/{id}/check", id),
                body=body,
            ),
        )

    def price_pool(
        self,
        site_id: str,
        pool_id: str,
        body: m.SitePricePoolBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.PricedPool:
        """Set the hourly GPU price of a pool so that jobs can be placed on it.

        `usdPerGpuHour` is a text such as `"1.90"`.
        """
        return cast(
            m.PricedPool,
            self._transport.json(
                "PUT",
                join("/sites/{siteId}/pools/{poolId}", site_id, pool_id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def queue(
        self,
        id: str,
    ) -> m.SiteQueueOutput:
        """List the cluster's own queue and which of its jobs are adopted.

        At most 1,000 jobs, and `total`.
        """
        return cast(
            m.SiteQueueOutput,
            self._transport.json(
                "GET",
                join("/sites/{id}/queue", id),
            ),
        )

    def nodes(
        self,
        id: str,
        *,
        state: Optional[Union[Literal["ready", "closed", "down"], Sequence[Literal["ready", "closed", "down"]]]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.NodePage:
        """List the nodes of an owned site, unavailable ones first.

        `state` is `ready`, `closed` (drained, cordoned, reserved) or `down`; `reason` is in the
        cluster's words; `counts` covers all nodes.
        """
        return cast(
            m.NodePage,
            self._transport.json(
                "GET",
                join("/sites/{id}/nodes", id),
                query={
                    "state": state,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )


class InstanceOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        state: Optional[Union[m.InstanceState, Sequence[m.InstanceState]]] = None,
        live: Optional[bool] = None,
        job: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.InstanceListOutput:
        """List cloud instances, newest first.

        `live=1`: those that may still cost money.
        """
        return cast(
            m.InstanceListOutput,
            self._transport.json(
                "GET",
                join("/instances"),
                query={
                    "state": state,
                    "live": live,
                    "job": job,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )


class OfferOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        gpus: Optional[int] = None,
        accelerator: Optional[str] = None,
        region: Optional[str] = None,
        capacity: Optional[Literal["spot", "on_demand", "reserved"]] = None,
        limit: Optional[int] = None,
    ) -> m.OfferListOutput:
        """List what can be bought, cheapest GPU-hour first.

        `quarantine` says why a price is not trusted.
        """
        return cast(
            m.OfferListOutput,
            self._transport.json(
                "GET",
                join("/offers"),
                query={
                    "gpus": gpus,
                    "accelerator": accelerator,
                    "region": region,
                    "capacity": capacity,
                    "limit": limit,
                },
            ),
        )

    def snapshots(
        self,
    ) -> m.OfferSnapshotsOutput:
        """List imported list prices, by import, newest first."""
        return cast(
            m.OfferSnapshotsOutput,
            self._transport.json(
                "GET",
                join("/price-snapshots"),
            ),
        )

    def import_prices(
        self,
        body: m.OfferImportPricesBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.OfferImportPricesOutput:
        """Import dated list prices of clouds from a CSV file.

        For installations that cannot reach the clouds' price lists (prices).
        """
        return cast(
            m.OfferImportPricesOutput,
            self._transport.json(
                "PUT",
                join("/price-snapshots"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class ForecastOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def demand(
        self,
        *,
        group_by: Optional[m.DemandForecastGroupBy] = None,
        hours: Optional[int] = None,
    ) -> m.DemandForecast:
        """Forecast the GPUs that jobs will want, hour by hour, with ranges and a score.

        By `total`, `team`, `class` or `accelerator`, up to 336 `hours` ahead; P10, P50 and P90
        (demand forecast).
        """
        return cast(
            m.DemandForecast,
            self._transport.json(
                "GET",
                join("/forecasts/demand"),
                query={
                    "groupBy": group_by,
                    "hours": hours,
                },
            ),
        )

    def score(
        self,
    ) -> m.ForecastScoreOutput:
        """Get the accuracy of wait forecasts, overall and by horizon."""
        return cast(
            m.ForecastScoreOutput,
            self._transport.json(
                "GET",
                join("/forecasts/score"),
            ),
        )


class OverviewOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def money_at_risk(
        self,
    ) -> m.OverviewMoneyAtRiskOutput:
        """List machines that may be running without a job."""
        return cast(
            m.OverviewMoneyAtRiskOutput,
            self._transport.json(
                "GET",
                join("/money-at-risk"),
            ),
        )


class SearchOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def find(
        self,
        *,
        q: Optional[str] = None,
        kind: Optional[Union[m.SearchFindOutputItemsItemKind, Sequence[m.SearchFindOutputItemsItemKind]]] = None,
        live: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> m.SearchFindOutput:
        """Find jobs, teams, people, rules, machines, months and other entities by words.

        Only what you may see. Per kind: exact names first, then beginnings, then the newest.
        `actions`: what you may do with it now. `href`: its screen.
        """
        return cast(
            m.SearchFindOutput,
            self._transport.json(
                "GET",
                join("/search"),
                query={
                    "q": q,
                    "kind": kind,
                    "live": live,
                    "limit": limit,
                },
            ),
        )


class PolicyOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def names(
        self,
    ) -> m.PolicyNamesOutput:
        """List policies; the one named default is in force."""
        return cast(
            m.PolicyNamesOutput,
            self._transport.json(
                "GET",
                join("/policies"),
            ),
        )

    def get(
        self,
        name: str,
    ) -> m.Policy:
        """Get the policy in force as YAML and as rules, with its ETag.

        304 with `If-None-Match`.
        """
        return cast(
            m.Policy,
            self._transport.json(
                "GET",
                join("/policies/{name}", name),
            ),
        )

    def put(
        self,
        name: str,
        body: Union[m.PolicyPutBody, str],
        *,
        message: str,
    ) -> m.Published:
        """Publish a policy; requires If-Match.

        412 when someone published since the version in `If-Match`, 428 without the header; 202
        when a second person must approve (two people at once).
        """
        return cast(
            m.Published,
            self._transport.json(
                "PUT",
                join("/policies/{name}", name),
                query={
                    "message": message,
                },
                body=body,
                text_type="application/yaml",
            ),
        )

    def effects(
        self,
        name: str,
    ) -> m.PolicyEffects:
        """List what each rule of the policy in force excluded, sent and cost in the last 30 days.

        From the explanations of the latest 2,000 placements (effects of rules).
        """
        return cast(
            m.PolicyEffects,
            self._transport.json(
                "GET",
                join("/policies/{name}/effects", name),
            ),
        )

    def versions(
        self,
        name: str,
        *,
        before: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> m.PolicyVersionsOutput:
        """List versions, newest first, with each publication."""
        return cast(
            m.PolicyVersionsOutput,
            self._transport.json(
                "GET",
                join("/policies/{name}/versions", name),
                query={
                    "before": before,
                    "limit": limit,
                },
            ),
        )

    def version(
        self,
        name: str,
        version: str,
    ) -> m.VersionDetail:
        """Get one version with its text."""
        return cast(
            m.VersionDetail,
            self._transport.json(
                "GET",
                join("/policies/{name}/versions/{version}", name, version),
            ),
        )

    def diff(
        self,
        name: str,
        *,
        from_: Optional[int] = None,
        to: Optional[Union[int, m.PolicyDiffTo]] = None,
    ) -> m.PolicyDiffOutput:
        """Compare two versions by rule and by line.

        Without `from` or `to`, the version in force.
        """
        return cast(
            m.PolicyDiffOutput,
            self._transport.json(
                "GET",
                join("/policies/{name}/diff", name),
                query={
                    "from": from_,
                    "to": to,
                },
            ),
        )

    def check(
        self,
        name: str,
        body: Union[m.PolicyCheckBody, str],
    ) -> m.PolicyCheck:
        """Check a policy text: problems by line and column, and the differences."""
        return cast(
            m.PolicyCheck,
            self._transport.json(
                "POST",
                join("/policies/{name}/check", name),
                body=body,
                text_type="application/yaml",
            ),
        )

    def merge(
        self,
        name: str,
        body: m.PolicyMergeBody,
    ) -> m.PolicyMergeOutput:
        """Merge a text based on an older version with the version in force."""
        return cast(
            m.PolicyMergeOutput,
            self._transport.json(
                "POST",
                join("/policies/{name}/merge", name),
                body=body,
            ),
        )

    def rollback(
        self,
        name: str,
        body: m.PolicyRollbackBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Published:
        """Publish an older version again."""
        return cast(
            m.Published,
            self._transport.json(
                "POST",
                join("/policies/{name}/rollback", name),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def unmanage(
        self,
        name: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.PolicyUnmanageOutput:
        """Release a policy from git so that it can be edited here."""
        return cast(
            m.PolicyUnmanageOutput,
            self._transport.json(
                "POST",
                join("/policies/{name}/unmanage", name),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def settings(
        self,
    ) -> m.PolicySettings:
        """Get whether publishing needs a second person."""
        return cast(
            m.PolicySettings,
            self._transport.json(
                "GET",
                join("/policy-settings"),
            ),
        )

    def change_settings(
        self,
        body: m.PolicyChangeSettingsBody,
    ) -> m.PolicyChangeSettingsOutput:
        """Require a second person for publishing, or stop requiring one."""
        return cast(
            m.PolicyChangeSettingsOutput,
            self._transport.json(
                "PUT",
                join("/policy-settings"),
                body=body,
            ),
        )


class DraftOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        name: str,
    ) -> m.PolicyDraft:
        """Get your own draft."""
        return cast(
            m.PolicyDraft,
            self._transport.json(
                "GET",
                join("/policies/{name}/draft", name),
            ),
        )

    def save(
        self,
        name: str,
        body: Union[m.DraftSaveBody, str],
    ) -> m.DraftSaveOutput:
        """Save your own draft, even if it is not valid yet."""
        return cast(
            m.DraftSaveOutput,
            self._transport.json(
                "PUT",
                join("/policies/{name}/draft", name),
                body=body,
                text_type="application/yaml",
            ),
        )

    def discard(
        self,
        name: str,
    ) -> m.DraftDiscardOutput:
        """Delete your own draft."""
        return cast(
            m.DraftDiscardOutput,
            self._transport.json(
                "POST",
                join("/policies/{name}/draft/discard", name),
            ),
        )


class BacktestOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def start(
        self,
        name: str,
        body: m.BacktestStartBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Backtest:
        """Replay a draft and the version in force over past days, in the background.

        `days` is 7, 30 or 90. `replace` cancels your other backtests of this policy and leaves
        the start out of the audit log; for editors that start one after each edit.
        """
        return cast(
            m.Backtest,
            self._transport.json(
                "POST",
                join("/policies/{name}/backtest", name),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        name: str,
        *,
        limit: Optional[int] = None,
    ) -> m.BacktestListOutput:
        """List backtests of a policy, newest first, without results."""
        return cast(
            m.BacktestListOutput,
            self._transport.json(
                "GET",
                join("/policies/{name}/backtests", name),
                query={
                    "limit": limit,
                },
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.Backtest:
        """Get a backtest with its progress, its estimate and its result."""
        return cast(
            m.Backtest,
            self._transport.json(
                "GET",
                join("/backtests/{id}", id),
            ),
        )

    def cancel(
        self,
        id: str,
    ) -> m.Backtest:
        """Cancel a queued or running backtest."""
        return cast(
            m.Backtest,
            self._transport.json(
                "POST",
                join("/backtests/{id}/cancel", id),
            ),
        )


class ShadowOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        name: str,
    ) -> m.Shadow:
        """Get the latest shadow: agreement, both costs and the newest differences.

        The newest 50 differences.
        """
        return cast(
            m.Shadow,
            self._transport.json(
                "GET",
                join("/policies/{name}/shadow", name),
            ),
        )

    def start(
        self,
        name: str,
        body: Union[m.PolicyCheckBody, str],
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Shadow:
        """Run a draft in the shadow of the policy in force; it only records.

        409 while another shadow runs (shadow).
        """
        return cast(
            m.Shadow,
            self._transport.json(
                "POST",
                join("/policies/{name}/shadow", name),
                body=body,
                text_type="application/yaml",
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def stop(
        self,
        name: str,
    ) -> m.Shadow:
        """Stop the running shadow and keep its records."""
        return cast(
            m.Shadow,
            self._transport.json(
                "POST",
                join("/policies/{name}/shadow/stop", name),
            ),
        )


class PlanOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        body: Union[bytes, BinaryIO],
        *,
        name: Optional[str] = None,
    ) -> m.Upload:
        """Upload a trace of any size for a study.

        Up to 1 GiB, gzipped or not. It is deleted when its study ends, or after a day.
        """
        return cast(
            m.Upload,
            self._transport.json(
                "POST",
                join("/plan/uploads"),
                query={
                    "name": name,
                },
                body=body,
                text_type="application/octet-stream",
            ),
        )

    def start(
        self,
        body: Union[m.PlanStartBodyRecords, m.PlanStartBodyOpen, m.PlanStartBodyUpload],
    ) -> m.PlanStudy:
        """Study what to buy, rent or burst, from our own records or an uploaded trace, in the
        background.
        """
        return cast(
            m.PlanStudy,
            self._transport.json(
                "POST",
                join("/plan/studies"),
                body=body,
            ),
        )

    def list(
        self,
        *,
        limit: Optional[int] = None,
    ) -> m.PlanListOutput:
        """List plan studies, newest first, without results."""
        return cast(
            m.PlanListOutput,
            self._transport.json(
                "GET",
                join("/plan/studies"),
                query={
                    "limit": limit,
                },
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.PlanStudy:
        """Get a plan study with its progress and its result."""
        return cast(
            m.PlanStudy,
            self._transport.json(
                "GET",
                join("/plan/studies/{id}", id),
            ),
        )

    def demand(
        self,
        id: str,
        *,
        team: Optional[str] = None,
        class_: Optional[str] = None,
        gpu: Optional[str] = None,
    ) -> m.PlanStudyDemand:
        """Get a study's demand, waits and burst candidates, of one team, class or GPU model, or of
        several of these.
        """
        return cast(
            m.PlanStudyDemand,
            self._transport.json(
                "GET",
                join("/plan/studies/{id}/demand", id),
                query={
                    "team": team,
                    "class": class_,
                    "gpu": gpu,
                },
            ),
        )

    def decision(
        self,
        id: str,
        *,
        format: Optional[Literal["json", "pdf"]] = None,
    ) -> m.PlanDecision:
        """Get the decision of a finished study with its frozen figures, and what happened since by
        month.

        `format=json` or `pdf` (plan).
        """
        return cast(
            m.PlanDecision,
            self._transport.json(
                "GET",
                join("/plan/studies/{id}/decision", id),
                query={
                    "format": format,
                },
            ),
        )

    def decision_file(
        self,
        id: str,
        *,
        format: Optional[Literal["json", "pdf"]] = None,
    ) -> BinaryIO:
        """Get the decision of a finished study with its frozen figures, and what happened since by
        month.

        `format=json` or `pdf` (plan).
        """
        return self._transport.file(
            "GET",
            join("/plan/studies/{id}/decision", id),
            query={
                "format": format,
            },
        )

    def cancel(
        self,
        id: str,
    ) -> m.PlanStudy:
        """Cancel a queued or running plan study."""
        return cast(
            m.PlanStudy,
            self._transport.json(
                "POST",
                join("/plan/studies/{id}/cancel", id),
            ),
        )


class SpendOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def by(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        group_by: Optional[m.SpendByGroupBy] = None,
        currency: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        project: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.SpendByClassItem, Sequence[m.SpendByClassItem]]] = None,
        provider: Optional[Union[m.PlacementProvider, Sequence[m.PlacementProvider]]] = None,
        region: Optional[Union[str, Sequence[str]]] = None,
        capacity_type: Optional[Union[m.PlacementCapacityType, Sequence[m.PlacementCapacityType]]] = None,
        accelerator: Optional[Union[str, Sequence[str]]] = None,
        site: Optional[Union[str, Sequence[str]]] = None,
        kind: Optional[Union[m.ChargeDimensionsKind, Sequence[m.ChargeDimensionsKind]]] = None,
    ) -> m.SpendByOutput:
        """Get owned, idle and cloud cost by dimension, by time or by job.

        By `day`, `week`, `month`, `job` or a dimension; the last 30 days by team by default. An
        empty filter value selects what has none. `currency` adds the amounts in another
        currency, by default the reporting currency; not by job.
        """
        return cast(
            m.SpendByOutput,
            self._transport.json(
                "GET",
                join("/spend"),
                query={
                    "from": from_,
                    "to": to,
                    "groupBy": group_by,
                    "currency": currency,
                    "cursor": cursor,
                    "limit": limit,
                    "team": team,
                    "project": project,
                    "class": class_,
                    "provider": provider,
                    "region": region,
                    "capacityType": capacity_type,
                    "accelerator": accelerator,
                    "site": site,
                    "kind": kind,
                },
            ),
        )

    def variance(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        project: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.SpendByClassItem, Sequence[m.SpendByClassItem]]] = None,
        provider: Optional[Union[m.PlacementProvider, Sequence[m.PlacementProvider]]] = None,
        region: Optional[Union[str, Sequence[str]]] = None,
        capacity_type: Optional[Union[m.PlacementCapacityType, Sequence[m.PlacementCapacityType]]] = None,
        accelerator: Optional[Union[str, Sequence[str]]] = None,
        site: Optional[Union[str, Sequence[str]]] = None,
        kind: Optional[Union[m.ChargeDimensionsKind, Sequence[m.ChargeDimensionsKind]]] = None,
    ) -> m.SpendVarianceOutput:
        """Explain why spend differs from the range before.

        The change by cause and line of work (variance). Its parts add up to the micro-dollar.
        """
        return cast(
            m.SpendVarianceOutput,
            self._transport.json(
                "GET",
                join("/spend/variance"),
                query={
                    "from": from_,
                    "to": to,
                    "team": team,
                    "project": project,
                    "class": class_,
                    "provider": provider,
                    "region": region,
                    "capacityType": capacity_type,
                    "accelerator": accelerator,
                    "site": site,
                    "kind": kind,
                },
            ),
        )

    def charges(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        job: Optional[str] = None,
        cause: Optional[str] = None,
        correction: Optional[Union[m.ChargeLineCorrection, Sequence[m.ChargeLineCorrection]]] = None,
        lost: Optional[m.SpendChargesLost] = None,
        without_idle: Optional[bool] = None,
        as_of: Optional[str] = None,
        since: Optional[str] = None,
        budget: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        period: Optional[str] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        project: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.SpendByClassItem, Sequence[m.SpendByClassItem]]] = None,
        provider: Optional[Union[m.PlacementProvider, Sequence[m.PlacementProvider]]] = None,
        region: Optional[Union[str, Sequence[str]]] = None,
        capacity_type: Optional[Union[m.PlacementCapacityType, Sequence[m.PlacementCapacityType]]] = None,
        accelerator: Optional[Union[str, Sequence[str]]] = None,
        site: Optional[Union[str, Sequence[str]]] = None,
        kind: Optional[Union[m.ChargeDimensionsKind, Sequence[m.ChargeDimensionsKind]]] = None,
    ) -> m.ChargePage:
        """List the charges behind a number, newest first, with totals of the selection.

        `cause` is the id of a machine, an allocation, a pool or a bill line; `correction` a
        reason such as `bill_price`; `lost` how attempts ended, or `any`; `asOf=2026-11/1` the
        ledger at a closing, with what was posted `later`; `since` what came after it; `budget`
        what a budget counts, in its current period or that of the day `period`.
        """
        return cast(
            m.ChargePage,
            self._transport.json(
                "GET",
                join("/charges"),
                query={
                    "from": from_,
                    "to": to,
                    "job": job,
                    "cause": cause,
                    "correction": correction,
                    "lost": lost,
                    "withoutIdle": without_idle,
                    "asOf": as_of,
                    "since": since,
                    "budget": budget,
                    "cursor": cursor,
                    "limit": limit,
                    "period": period,
                    "team": team,
                    "project": project,
                    "class": class_,
                    "provider": provider,
                    "region": region,
                    "capacityType": capacity_type,
                    "accelerator": accelerator,
                    "site": site,
                    "kind": kind,
                },
            ),
        )

    def refund(
        self,
        id: str,
        body: m.SpendRefundBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Refund:
        """Refund a cloud machine's charge, fully or in part.

        Without `amountUsd`, all that is left of the charge (refunds).
        """
        return cast(
            m.Refund,
            self._transport.json(
                "POST",
                join("/charges/{id}/refund", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class LedgerOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
    ) -> m.LedgerGetOutput:
        """Get the ledger's time zone and the result of its last check."""
        return cast(
            m.LedgerGetOutput,
            self._transport.json(
                "GET",
                join("/ledger"),
            ),
        )

    def set_zone(
        self,
        body: m.LedgerSetZoneBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.LedgerSetZoneOutput:
        """Set the ledger's time zone, before the first charge."""
        return cast(
            m.LedgerSetZoneOutput,
            self._transport.json(
                "PUT",
                join("/ledger/zone"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class CarbonOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def by(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        group_by: Optional[m.CarbonByGroupBy] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        project: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.SpendByClassItem, Sequence[m.SpendByClassItem]]] = None,
        provider: Optional[Union[m.PlacementProvider, Sequence[m.PlacementProvider]]] = None,
        region: Optional[Union[str, Sequence[str]]] = None,
        capacity_type: Optional[Union[m.PlacementCapacityType, Sequence[m.PlacementCapacityType]]] = None,
        accelerator: Optional[Union[str, Sequence[str]]] = None,
        site: Optional[Union[str, Sequence[str]]] = None,
        kind: Optional[Union[m.ChargeDimensionsKind, Sequence[m.ChargeDimensionsKind]]] = None,
    ) -> m.Carbon:
        """Get energy and emissions by dimension or by time.

        Operational by both methods, embodied, and what is measured, hourly or unknown (carbon).
        """
        return cast(
            m.Carbon,
            self._transport.json(
                "GET",
                join("/carbon"),
                query={
                    "from": from_,
                    "to": to,
                    "groupBy": group_by,
                    "team": team,
                    "project": project,
                    "class": class_,
                    "provider": provider,
                    "region": region,
                    "capacityType": capacity_type,
                    "accelerator": accelerator,
                    "site": site,
                    "kind": kind,
                },
            ),
        )

    def variance(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        team: Optional[Union[str, Sequence[str]]] = None,
        project: Optional[Union[str, Sequence[str]]] = None,
        class_: Optional[Union[m.SpendByClassItem, Sequence[m.SpendByClassItem]]] = None,
        provider: Optional[Union[m.PlacementProvider, Sequence[m.PlacementProvider]]] = None,
        region: Optional[Union[str, Sequence[str]]] = None,
        capacity_type: Optional[Union[m.PlacementCapacityType, Sequence[m.PlacementCapacityType]]] = None,
        accelerator: Optional[Union[str, Sequence[str]]] = None,
        site: Optional[Union[str, Sequence[str]]] = None,
        kind: Optional[Union[m.ChargeDimensionsKind, Sequence[m.ChargeDimensionsKind]]] = None,
    ) -> m.CarbonVarianceOutput:
        """Explain why emissions differ from the range before.

        The change by cause and line of work (what changed). Its parts add up to the milligram.
        """
        return cast(
            m.CarbonVarianceOutput,
            self._transport.json(
                "GET",
                join("/carbon/variance"),
                query={
                    "from": from_,
                    "to": to,
                    "team": team,
                    "project": project,
                    "class": class_,
                    "provider": provider,
                    "region": region,
                    "capacityType": capacity_type,
                    "accelerator": accelerator,
                    "site": site,
                    "kind": kind,
                },
            ),
        )

    def avoided(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
    ) -> m.AvoidedEmissions:
        """Get the emissions that bursting avoided or added."""
        return cast(
            m.AvoidedEmissions,
            self._transport.json(
                "GET",
                join("/carbon/avoided"),
                query={
                    "from": from_,
                    "to": to,
                },
            ),
        )

    def intensities(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
    ) -> m.Grid:
        """Get grid intensity by place and hour on the last day of the range."""
        return cast(
            m.Grid,
            self._transport.json(
                "GET",
                join("/carbon/intensities"),
                query={
                    "from": from_,
                    "to": to,
                },
            ),
        )

    def import_intensities(
        self,
        body: m.CarbonImportIntensitiesBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ImportedIntensity:
        """Import hourly grid intensities.

        CSV, or Electricity Maps' history.
        """
        return cast(
            m.ImportedIntensity,
            self._transport.json(
                "POST",
                join("/carbon/intensities"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class BudgetOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.BudgetListOutput:
        """List the budgets of the policy in force."""
        return cast(
            m.BudgetListOutput,
            self._transport.json(
                "GET",
                join("/budgets"),
            ),
        )

    def add(
        self,
        body: m.BudgetAddBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.CapChanged:
        """Add a budget to the policy, or propose it to a second person.

        202 when a second person must approve. `scope` is CEL over a job; the default is every
        job.
        """
        return cast(
            m.CapChanged,
            self._transport.json(
                "POST",
                join("/budgets"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def get(
        self,
        id: str,
        *,
        period: Optional[str] = None,
    ) -> m.BudgetDetail:
        """Get a budget by day, team and job, with its forecast and past periods.

        `period=2026-11-01` selects an earlier period (budgets).
        """
        return cast(
            m.BudgetDetail,
            self._transport.json(
                "GET",
                join("/budgets/{id}", id),
                query={
                    "period": period,
                },
            ),
        )

    def change_cap(
        self,
        id: str,
        body: m.BudgetChangeCapBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.CapChanged:
        """Change a budget's cap, or propose it to a second person.

        202 when a second person must approve.
        """
        return cast(
            m.CapChanged,
            self._transport.json(
                "PUT",
                join("/budgets/{id}", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def outlook(
        self,
        id: str,
    ) -> m.BudgetOutlook:
        """Get the end of a budget's period as a range, by the demand forecast of each team.

        `null` with fewer than 7 whole days of spending (budgets).
        """
        return cast(
            m.BudgetOutlook,
            self._transport.json(
                "GET",
                join("/budgets/{id}/outlook", id),
            ),
        )


class ApprovalOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def proposals(
        self,
    ) -> m.ApprovalProposalsOutput:
        """List changes that need a second person."""
        return cast(
            m.ApprovalProposalsOutput,
            self._transport.json(
                "GET",
                join("/proposals"),
            ),
        )

    def approve_proposal(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ApprovalApproveProposalOutput:
        """Approve another person's change; it takes effect immediately."""
        return cast(
            m.ApprovalApproveProposalOutput,
            self._transport.json(
                "POST",
                join("/proposals/{id}/approve", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def reject_proposal(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ApprovalRejectProposalOutput:
        """Reject another person's change, or withdraw your own."""
        return cast(
            m.ApprovalRejectProposalOutput,
            self._transport.json(
                "POST",
                join("/proposals/{id}/reject", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        state: Optional[Literal["open", "past"]] = None,
        job_id: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.ApprovalListOutput:
        """List approval requests, newest first.

        `state=open` or `past` (approvals).
        """
        return cast(
            m.ApprovalListOutput,
            self._transport.json(
                "GET",
                join("/approvals"),
                query={
                    "state": state,
                    "jobId": job_id,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )

    def outlook(
        self,
        *,
        role: Literal["platform", "data_scientist", "finance"],
    ) -> m.ApprovalOutlook:
        """Get who can approve your jobs and the median time to an answer."""
        return cast(
            m.ApprovalOutlook,
            self._transport.json(
                "GET",
                join("/approvals/outlook"),
                query={
                    "role": role,
                },
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.Approval:
        """Get an approval request: quote, rule, free budget and answer."""
        return cast(
            m.Approval,
            self._transport.json(
                "GET",
                join("/approvals/{id}", id),
            ),
        )

    def grant(
        self,
        id: str,
        body: Optional[m.ApprovalGrantBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.DecidedApproval:
        """Approve a job, optionally up to an amount."""
        return cast(
            m.DecidedApproval,
            self._transport.json(
                "POST",
                join("/approvals/{id}/grant", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def refuse(
        self,
        id: str,
        body: Optional[m.ApprovalRefuseBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.DecidedApproval:
        """Reject a job; it stays at home unless its submitter requests approval again."""
        return cast(
            m.DecidedApproval,
            self._transport.json(
                "POST",
                join("/approvals/{id}/refuse", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def ask_again(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ApprovalAskAgainOutput:
        """Request approval again after a rejection or an expiry."""
        return cast(
            m.ApprovalAskAgainOutput,
            self._transport.json(
                "POST",
                join("/jobs/{id}/ask-again", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class AlertOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        state: Optional[Literal["open", "past"]] = None,
        rule: Optional[m.AlertRule] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.AlertListOutput:
        """List alerts, newest first."""
        return cast(
            m.AlertListOutput,
            self._transport.json(
                "GET",
                join("/alerts"),
                query={
                    "state": state,
                    "rule": rule,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )


class ChannelOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.ChannelListOutput:
        """List notification channels; webhook addresses show the host only."""
        return cast(
            m.ChannelListOutput,
            self._transport.json(
                "GET",
                join("/channels"),
            ),
        )

    def create(
        self,
        body: Union[m.ChannelCreateBodyEmail, m.ChannelCreateBody, m.ChannelCreateBody2],
    ) -> m.ChannelCreateOutput:
        """Create a channel; a webhook's signing key is returned once."""
        return cast(
            m.ChannelCreateOutput,
            self._transport.json(
                "POST",
                join("/channels"),
                body=body,
            ),
        )

    def update(
        self,
        id: str,
        body: Optional[m.ChannelUpdateBody] = None,
    ) -> m.ChannelUpdateOutput:
        """Change a channel; omitted fields keep their values."""
        return cast(
            m.ChannelUpdateOutput,
            self._transport.json(
                "PUT",
                join("/channels/{id}", id),
                body=body,
            ),
        )

    def remove(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ChannelRemoveOutput:
        """Delete a channel with its address and key."""
        return cast(
            m.ChannelRemoveOutput,
            self._transport.json(
                "POST",
                join("/channels/{id}/remove", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def test(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ChannelTestOutput:
        """Send a test message to a channel."""
        return cast(
            m.ChannelTestOutput,
            self._transport.json(
                "POST",
                join("/channels/{id}/test", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def deliveries(
        self,
        *,
        state: Optional[Literal["pending", "sent", "failed"]] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.ChannelDeliveriesOutput:
        """List sent messages, newest first."""
        return cast(
            m.ChannelDeliveriesOutput,
            self._transport.json(
                "GET",
                join("/deliveries"),
                query={
                    "state": state,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )


class RatesOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.RatesListOutput:
        """List owned pools with the rate card in force and this month's cost."""
        return cast(
            m.RatesListOutput,
            self._transport.json(
                "GET",
                join("/rate-cards"),
            ),
        )

    def get(
        self,
        site_id: str,
        pool_id: str,
    ) -> m.PoolRates:
        """Get a pool's rate card, this month's cost and the history."""
        return cast(
            m.PoolRates,
            self._transport.json(
                "GET",
                join("/sites/{siteId}/pools/{poolId}/rate-card", site_id, pool_id),
            ),
        )

    def set(
        self,
        site_id: str,
        pool_id: str,
        body: m.RatesSetBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.RateCardSet:
        """Set a pool's rate card from a point in time; existing charges are corrected.

        What things cost.
        """
        return cast(
            m.RateCardSet,
            self._transport.json(
                "PUT",
                join("/sites/{siteId}/pools/{poolId}/rate-card", site_id, pool_id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def set_measured_power(
        self,
        site_id: str,
        pool_id: str,
        body: m.RatesSetMeasuredPowerBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.MeasuredPowerSet:
        """Set the measured energy of a pool; it replaces the rate card's estimate.

        Existing charges are corrected (measured power).
        """
        return cast(
            m.MeasuredPowerSet,
            self._transport.json(
                "PUT",
                join("/sites/{siteId}/pools/{poolId}/measured-power", site_id, pool_id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def electricity_prices(
        self,
        site_id: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
    ) -> m.RatesElectricityPricesOutput:
        """List a site's hourly electricity prices."""
        return cast(
            m.RatesElectricityPricesOutput,
            self._transport.json(
                "GET",
                join("/sites/{siteId}/electricity-prices", site_id),
                query={
                    "from": from_,
                    "to": to,
                },
            ),
        )

    def set_electricity_prices(
        self,
        site_id: str,
        body: m.RatesSetElectricityPricesBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ElectricityPricesSet:
        """Import a site's hourly electricity prices; existing charges are corrected.

        CSV with `ts` and `usd_per_kwh` or `usd_per_mwh` (electricity).
        """
        return cast(
            m.ElectricityPricesSet,
            self._transport.json(
                "PUT",
                join("/sites/{siteId}/electricity-prices", site_id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def commitments(
        self,
    ) -> m.RatesCommitmentsOutput:
        """List reserved and committed capacity."""
        return cast(
            m.RatesCommitmentsOutput,
            self._transport.json(
                "GET",
                join("/commitments"),
            ),
        )

    def set_commitments(
        self,
        body: m.RatesSetCommitmentsBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.RatesSetCommitmentsOutput:
        """Replace the list of reserved and committed capacity."""
        return cast(
            m.RatesSetCommitmentsOutput,
            self._transport.json(
                "PUT",
                join("/commitments"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def discounts(
        self,
    ) -> m.RatesDiscountsOutput:
        """List cloud discounts and how many offers each applies to."""
        return cast(
            m.RatesDiscountsOutput,
            self._transport.json(
                "GET",
                join("/discounts"),
            ),
        )

    def set_discounts(
        self,
        body: m.RatesSetDiscountsBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.RatesSetDiscountsOutput:
        """Replace the list of cloud discounts."""
        return cast(
            m.RatesSetDiscountsOutput,
            self._transport.json(
                "PUT",
                join("/discounts"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class CurrencyOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
    ) -> m.CurrencyGetOutput:
        """Get the reporting currency and the currencies with exchange rates."""
        return cast(
            m.CurrencyGetOutput,
            self._transport.json(
                "GET",
                join("/reporting-currency"),
            ),
        )

    def set(
        self,
        body: m.CurrencySetBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.CurrencySetOutput:
        """Set the currency that reports are shown in; the ledger stays in US dollars."""
        return cast(
            m.CurrencySetOutput,
            self._transport.json(
                "PUT",
                join("/reporting-currency"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def rates(
        self,
        *,
        currency: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.CurrencyRatesOutput:
        """List imported exchange rates, newest date first."""
        return cast(
            m.CurrencyRatesOutput,
            self._transport.json(
                "GET",
                join("/exchange-rates"),
                query={
                    "currency": currency,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                },
            ),
        )

    def import_rates(
        self,
        body: m.OfferImportPricesBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.CurrencyImportRatesOutput:
        """Import dated exchange rates from a CSV file.

        `date,currency,rate`, or the ECB's reference rates (currencies).
        """
        return cast(
            m.CurrencyImportRatesOutput,
            self._transport.json(
                "PUT",
                join("/exchange-rates"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class DataSetOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.DataSets:
        """List data sets with copies, and recent transfer speeds by region.

        `stores` are places for copies, `stored` what was copied there, `sharing` what a copy
        would save, `caches` what owned sites keep (data).
        """
        return cast(
            m.DataSets,
            self._transport.json(
                "GET",
                join("/data-sets"),
            ),
        )

    def set(
        self,
        body: m.DataSetSetBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.DataSets:
        """Replace the list of data sets that have copies."""
        return cast(
            m.DataSets,
            self._transport.json(
                "PUT",
                join("/data-sets"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class StoreOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.StoreListOutput:
        """List stores of teams, what each team keeps, and its limits."""
        return cast(
            m.StoreListOutput,
            self._transport.json(
                "GET",
                join("/stores"),
            ),
        )

    def add(
        self,
        body: m.StoreAddBody,
    ) -> m.Store:
        """Check a store and add it to a team; credentials are stored encrypted and never returned."""
        return cast(
            m.Store,
            self._transport.json(
                "POST",
                join("/stores"),
                body=body,
            ),
        )

    def change(
        self,
        id: str,
        body: m.StoreChangeBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Store:
        """Make a store its team's default, or use the embedded store again."""
        return cast(
            m.Store,
            self._transport.json(
                "PUT",
                join("/stores/{id}", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def update(
        self,
        id: str,
        body: Optional[m.StoreUpdateBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.Store:
        """Change a store's settings or credentials; the place of its files cannot change."""
        return cast(
            m.Store,
            self._transport.json(
                "PATCH",
                join("/stores/{id}", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def remove(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.StoreRemoveOutput:
        """Remove a store; its files stay where they are and stay readable."""
        return cast(
            m.StoreRemoveOutput,
            self._transport.json(
                "DELETE",
                join("/stores/{id}", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def set_price(
        self,
        id: str,
        body: m.StoreSetPriceBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.StorePrice:
        """Set the prices of a store from now on; `embedded` is the id of the embedded store.

        Storage and egress.
        """
        return cast(
            m.StorePrice,
            self._transport.json(
                "PUT",
                join("/stores/{id}/price", id),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def check(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.StoreCheckOutput:
        """Write, list, read and delete a small file, and issue credentials for one folder."""
        return cast(
            m.StoreCheckOutput,
            self._transport.json(
                "POST",
                join("/stores/{id}/check", id),
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def limits(
        self,
        body: m.StoreLimitsBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.StoreLimitsOutput:
        """Set a team's quota and retention of results."""
        return cast(
            m.StoreLimitsOutput,
            self._transport.json(
                "PUT",
                join("/storage-limits"),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class StatementOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        team: Optional[str] = None,
    ) -> m.StatementListOutput:
        """List months and the state of their statements, newest first."""
        return cast(
            m.StatementListOutput,
            self._transport.json(
                "GET",
                join("/statements"),
                query={
                    "team": team,
                },
            ),
        )

    def get(
        self,
        month: str,
        *,
        team: Optional[str] = None,
        version: Optional[int] = None,
        currency: Optional[str] = None,
        format: Optional[Literal["json", "csv", "pdf"]] = None,
    ) -> m.Statement:
        """Get a month's statement: the newest version, or a preview.

        `format=json`, `csv` or `pdf` (statements).
        """
        return cast(
            m.Statement,
            self._transport.json(
                "GET",
                join("/statements/{month}", month),
                query={
                    "team": team,
                    "version": version,
                    "currency": currency,
                    "format": format,
                },
            ),
        )

    def get_file(
        self,
        month: str,
        *,
        team: Optional[str] = None,
        version: Optional[int] = None,
        currency: Optional[str] = None,
        format: Optional[Literal["json", "csv", "pdf"]] = None,
    ) -> BinaryIO:
        """Get a month's statement: the newest version, or a preview.

        `format=json`, `csv` or `pdf` (statements).
        """
        return self._transport.file(
            "GET",
            join("/statements/{month}", month),
            query={
                "team": team,
                "version": version,
                "currency": currency,
                "format": format,
            },
        )

    def close(
        self,
        month: str,
        body: Optional[m.StatementCloseBody] = None,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.ClosedMonth:
        """Close a finished month, or close it again with a reason.

        `correction` says why the month needs another version.
        """
        return cast(
            m.ClosedMonth,
            self._transport.json(
                "POST",
                join("/statements/{month}/close", month),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )

    def sign(
        self,
        month: str,
        body: m.StatementSignBody,
        *,
        idempotency_key: Optional[str] = None,
    ) -> m.StatementSignOutput:
        """Sign the newest version of a statement."""
        return cast(
            m.StatementSignOutput,
            self._transport.json(
                "POST",
                join("/statements/{month}/sign", month),
                body=body,
                repeatable=True,
                idempotency_key=idempotency_key,
            ),
        )


class BillOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export_focus(
        self,
        *,
        month: str,
        format: Optional[Literal["csv"]] = None,
        version: Optional[Literal["1.2", "1.3", "1.4"]] = None,
        dataset: Optional[Literal["cost-and-usage", "contract-commitment"]] = None,
        as_of: Optional[str] = None,
    ) -> BinaryIO:
        """Export every charge of a month as FOCUS 1.2, 1.3 or 1.4.

        A stream of any length (FOCUS).
        """
        return self._transport.file(
            "GET",
            join("/exports/focus"),
            query={
                "month": month,
                "format": format,
                "version": version,
                "dataset": dataset,
                "asOf": as_of,
            },
        )

    def import_(
        self,
        body: Union[bytes, BinaryIO],
        *,
        name: Optional[str] = None,
    ) -> m.BillImportOutput:
        """Import a provider's FOCUS file and reconcile its months.

        CSV or gzip of any size. The same file again changes nothing.
        """
        return cast(
            m.BillImportOutput,
            self._transport.json(
                "POST",
                join("/invoices"),
                query={
                    "name": name,
                },
                body=body,
                text_type="text/csv",
            ),
        )

    def list(
        self,
    ) -> m.BillListOutput:
        """List imported bills, newest first."""
        return cast(
            m.BillListOutput,
            self._transport.json(
                "GET",
                join("/invoices"),
            ),
        )

    def reconciliation(
        self,
        month: str,
        *,
        state: Optional[m.ReconciledResourceState] = None,
        provider: Optional[Literal["aws", "azure", "gcp"]] = None,
        team: Optional[str] = None,
    ) -> m.Reconciliation:
        """Get a month's bills compared with the ledger, largest difference first."""
        return cast(
            m.Reconciliation,
            self._transport.json(
                "GET",
                join("/reconciliations/{month}", month),
                query={
                    "state": state,
                    "provider": provider,
                    "team": team,
                },
            ),
        )

    def reconcile(
        self,
        month: str,
        body: Optional[m.BillReconcileBody] = None,
    ) -> m.Reconciliation:
        """Compare a month's bills with the ledger again.

        `final`: reverse what the bills do not have.
        """
        return cast(
            m.Reconciliation,
            self._transport.json(
                "POST",
                join("/reconciliations/{month}", month),
                body=body,
            ),
        )

    def reconciliation_history(
        self,
        month: str,
        *,
        provider: Optional[Literal["aws", "azure", "gcp"]] = None,
    ) -> m.ReconciliationHistory:
        """List a month's reconciliations, newest first, and what each posted."""
        return cast(
            m.ReconciliationHistory,
            self._transport.json(
                "GET",
                join("/reconciliations/{month}/history", month),
                query={
                    "provider": provider,
                },
            ),
        )

    def lines(
        self,
        month: str,
        *,
        resource: str,
        instance: Optional[str] = None,
    ) -> m.ResourceLines:
        """List the bill lines behind one resource of a reconciliation.

        At most 1,000.
        """
        return cast(
            m.ResourceLines,
            self._transport.json(
                "GET",
                join("/reconciliations/{month}/lines", month),
                query={
                    "resource": resource,
                    "instance": instance,
                },
            ),
        )

    def get(
        self,
        id: str,
    ) -> m.BillDetail:
        """Get an imported bill with its columns."""
        return cast(
            m.BillDetail,
            self._transport.json(
                "GET",
                join("/invoices/{id}", id),
            ),
        )

    def export(
        self,
        id: str,
    ) -> BinaryIO:
        """Download the lines of a bill unchanged."""
        return self._transport.file(
            "GET",
            join("/invoices/{id}/lines", id),
        )


class AuditOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        actor: Optional[str] = None,
        action: Optional[str] = None,
        subject: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        q: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> m.AuditListOutput:
        """List who changed what, when and from where, newest first.

        `action` and `subject` by their beginnings, `q` anywhere (audit).
        """
        return cast(
            m.AuditListOutput,
            self._transport.json(
                "GET",
                join("/audit"),
                query={
                    "actor": actor,
                    "action": action,
                    "subject": subject,
                    "from": from_,
                    "to": to,
                    "q": q,
                    "cursor": cursor,
                    "limit": limit,
                },
            ),
        )

    def chain(
        self,
    ) -> m.ChainState:
        """Get the latest hash of the audit chain and its last check."""
        return cast(
            m.ChainState,
            self._transport.json(
                "GET",
                join("/audit/chain"),
            ),
        )

    def verify(
        self,
        *,
        head: Optional[str] = None,
    ) -> Iterator[m.AuditVerifyLine]:
        """Verify the whole audit chain; streams progress and a result.

        `head` is the hash of an earlier head, or its first 12 digits.
        """
        return cast(
            Iterator[m.AuditVerifyLine],
            self._transport.lines(
                "GET",
                join("/audit/verify"),
                query={
                    "head": head,
                },
            ),
        )

    def export(
        self,
        *,
        actor: Optional[str] = None,
        action: Optional[str] = None,
        subject: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        q: Optional[str] = None,
        format: Optional[Literal["csv", "ndjson"]] = None,
    ) -> BinaryIO:
        """Export audit lines with their hashes."""
        return self._transport.file(
            "GET",
            join("/exports/audit"),
            query={
                "actor": actor,
                "action": action,
                "subject": subject,
                "from": from_,
                "to": to,
                "q": q,
                "format": format,
            },
        )


class SecretOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.SecretListOutput:
        """List the secrets of your teams, never their values.

        Secrets.
        """
        return cast(
            m.SecretListOutput,
            self._transport.json(
                "GET",
                join("/secrets"),
            ),
        )

    def set(
        self,
        team: str,
        name: str,
        body: Optional[m.SecretSetBody] = None,
    ) -> m.SecretSetOutput:
        """Create or replace a secret of a team; its value is never returned."""
        return cast(
            m.SecretSetOutput,
            self._transport.json(
                "PUT",
                join("/teams/{team}/secrets/{name}", team, name),
                body=body,
            ),
        )

    def delete(
        self,
        team: str,
        name: str,
    ) -> m.SecretDeleteOutput:
        """Delete a secret; jobs that name it fail when they start."""
        return cast(
            m.SecretDeleteOutput,
            self._transport.json(
                "DELETE",
                join("/teams/{team}/secrets/{name}", team, name),
            ),
        )


class TokenOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.TokenListOutput:
        """List your tokens, or everyone's as an administrator; never the tokens themselves.

        Tokens.
        """
        return cast(
            m.TokenListOutput,
            self._transport.json(
                "GET",
                join("/tokens"),
            ),
        )

    def create(
        self,
        body: m.TokenCreateBody,
    ) -> m.TokenCreateOutput:
        """Create a token with scopes and an expiry; it is returned once."""
        return cast(
            m.TokenCreateOutput,
            self._transport.json(
                "POST",
                join("/tokens"),
                body=body,
            ),
        )

    def revoke(
        self,
        id: str,
    ) -> m.TokenRevokeOutput:
        """Revoke a token; it stops working within 5 seconds."""
        return cast(
            m.TokenRevokeOutput,
            self._transport.json(
                "DELETE",
                join("/tokens/{id}", id),
            ),
        )


class AccountOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def update(
        self,
        id: str,
        body: Optional[m.AccountUpdateBody] = None,
    ) -> m.AccountUpdateOutput:
        """Change name, role and teams of an account."""
        return cast(
            m.AccountUpdateOutput,
            self._transport.json(
                "PATCH",
                join("/accounts/{id}", id),
                body=body,
            ),
        )

    def list(
        self,
    ) -> m.AccountListOutput:
        """List accounts with their identities, and sign-ins that wait for approval."""
        return cast(
            m.AccountListOutput,
            self._transport.json(
                "GET",
                join("/accounts"),
            ),
        )

    def create(
        self,
        body: m.AccountCreateBody,
    ) -> m.AccountCreateOutput:
        """Create a person with an invitation of 7 days, or a service account."""
        return cast(
            m.AccountCreateOutput,
            self._transport.json(
                "POST",
                join("/accounts"),
                body=body,
            ),
        )

    def invite(
        self,
        id: str,
    ) -> m.AccountInviteOutput:
        """Let the next sign-in with the account's verified address be linked, for 7 days."""
        return cast(
            m.AccountInviteOutput,
            self._transport.json(
                "POST",
                join("/accounts/{id}/invite", id),
            ),
        )

    def disable(
        self,
        id: str,
    ) -> m.AccountDisableOutput:
        """Disable an account; its sessions and tokens end."""
        return cast(
            m.AccountDisableOutput,
            self._transport.json(
                "POST",
                join("/accounts/{id}/disable", id),
            ),
        )

    def enable(
        self,
        id: str,
    ) -> m.AccountEnableOutput:
        """Enable a disabled account."""
        return cast(
            m.AccountEnableOutput,
            self._transport.json(
                "POST",
                join("/accounts/{id}/enable", id),
            ),
        )

    def link_identity(
        self,
        id: str,
    ) -> m.AccountLinkIdentityOutput:
        """Approve a waiting sign-in: link it to the account with its address."""
        return cast(
            m.AccountLinkIdentityOutput,
            self._transport.json(
                "POST",
                join("/identities/{id}/link", id),
            ),
        )

    def reject_identity(
        self,
        id: str,
    ) -> m.AccountRejectIdentityOutput:
        """Reject a waiting sign-in."""
        return cast(
            m.AccountRejectIdentityOutput,
            self._transport.json(
                "POST",
                join("/identities/{id}/reject", id),
            ),
        )


class RoleOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.RoleListOutput:
        """List built-in and custom roles with their permissions.

        Custom roles.
        """
        return cast(
            m.RoleListOutput,
            self._transport.json(
                "GET",
                join("/roles"),
            ),
        )

    def create(
        self,
        body: m.RoleCreateBody,
    ) -> m.RoleCreateOutput:
        """Create a custom role with some of a built-in role's permissions."""
        return cast(
            m.RoleCreateOutput,
            self._transport.json(
                "POST",
                join("/roles"),
                body=body,
            ),
        )

    def update(
        self,
        name: str,
        body: m.RoleUpdateBody,
    ) -> m.RoleUpdateOutput:
        """Replace the permissions of a custom role."""
        return cast(
            m.RoleUpdateOutput,
            self._transport.json(
                "PATCH",
                join("/roles/{name}", name),
                body=body,
            ),
        )

    def delete(
        self,
        name: str,
    ) -> m.RoleDeleteOutput:
        """Delete a custom role that no account and no group mapping has."""
        return cast(
            m.RoleDeleteOutput,
            self._transport.json(
                "DELETE",
                join("/roles/{name}", name),
            ),
        )


class NotificationOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
    ) -> m.Notifications:
        """Show what you are notified about by mail, and whether the last mail was sent.

        Notifications.
        """
        return cast(
            m.Notifications,
            self._transport.json(
                "GET",
                join("/notifications"),
            ),
        )

    def set(
        self,
        body: Optional[m.NotificationSetBody] = None,
    ) -> m.Notifications:
        """Choose the events of your jobs and pipelines that are mailed to you; omitted fields keep
        their values.
        """
        return cast(
            m.Notifications,
            self._transport.json(
                "PUT",
                join("/notifications"),
                body=body,
            ),
        )


class TeamOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.TeamListOutput:
        """List your teams, or all teams for roles that see all, with cost centers."""
        return cast(
            m.TeamListOutput,
            self._transport.json(
                "GET",
                join("/teams"),
            ),
        )

    def create(
        self,
        body: m.TeamCreateBody,
    ) -> m.TeamCreateOutput:
        """Create a team."""
        return cast(
            m.TeamCreateOutput,
            self._transport.json(
                "POST",
                join("/teams"),
                body=body,
            ),
        )

    def update(
        self,
        name: str,
        body: Optional[m.TeamUpdateBody] = None,
    ) -> m.TeamUpdateOutput:
        """Rename a team (its title), or change its cost center or parent."""
        return cast(
            m.TeamUpdateOutput,
            self._transport.json(
                "PATCH",
                join("/teams/{name}", name),
                body=body,
            ),
        )

    def delete(
        self,
        name: str,
    ) -> m.TeamDeleteOutput:
        """Delete a team without members, work or belongings."""
        return cast(
            m.TeamDeleteOutput,
            self._transport.json(
                "DELETE",
                join("/teams/{name}", name),
            ),
        )


class GroupMappingOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
    ) -> m.GroupMappingListOutput:
        """List which groups of the identity provider give which role and team."""
        return cast(
            m.GroupMappingListOutput,
            self._transport.json(
                "GET",
                join("/group-mappings"),
            ),
        )

    def set(
        self,
        body: m.GroupMappingSetBody,
    ) -> m.GroupMapping:
        """Map a group to a role, a team or both.

        SCIM members change immediately, others at their next sign-in.
        """
        return cast(
            m.GroupMapping,
            self._transport.json(
                "PUT",
                join("/group-mappings"),
                body=body,
            ),
        )

    def remove(
        self,
        body: m.GroupMappingRemoveBody,
    ) -> m.GroupMappingRemoveOutput:
        """Remove a group's mapping."""
        return cast(
            m.GroupMappingRemoveOutput,
            self._transport.json(
                "POST",
                join("/group-mappings/remove"),
                body=body,
            ),
        )

    def check(
        self,
        body: m.GroupMappingCheckBody,
    ) -> m.GroupMappingCheckOutput:
        """Compute the role and teams of a person in some groups, without changing anything."""
        return cast(
            m.GroupMappingCheckOutput,
            self._transport.json(
                "POST",
                join("/group-mappings/check"),
                body=body,
            ),
        )


class SetupOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
    ) -> m.SetupGetOutput:
        """Read which set-up steps are done, skipped or open."""
        return cast(
            m.SetupGetOutput,
            self._transport.json(
                "GET",
                join("/setup"),
            ),
        )

    def company(
        self,
        body: m.LedgerSetZoneBody,
    ) -> m.SetupCompanyOutput:
        """Save the company's time zone, before the first charge."""
        return cast(
            m.SetupCompanyOutput,
            self._transport.json(
                "PUT",
                join("/setup/company"),
                body=body,
            ),
        )

    def skip(
        self,
        body: m.SetupSkipBody,
    ) -> m.SetupSkipOutput:
        """Skip a set-up step."""
        return cast(
            m.SetupSkipOutput,
            self._transport.json(
                "POST",
                join("/setup/skip"),
                body=body,
            ),
        )

    def policy(
        self,
        body: m.SetupPolicyBody,
    ) -> m.SetupPolicyOutput:
        """Build the first policy from four answers, without saving it."""
        return cast(
            m.SetupPolicyOutput,
            self._transport.json(
                "POST",
                join("/setup/policy"),
                body=body,
            ),
        )


class CompanyOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def plan(
        self,
        body: Union[m.CompanyPlanBody, str],
    ) -> m.CompanyPlanOutput:
        """Compare a company file with the installation, without changing anything."""
        return cast(
            m.CompanyPlanOutput,
            self._transport.json(
                "POST",
                join("/company/plan"),
                body=body,
                text_type="application/yaml",
            ),
        )

    def apply(
        self,
        body: m.CompanyApplyBody,
    ) -> m.CompanyApplyOutput:
        """Apply a company file in one transaction; the hash names the difference that was shown."""
        return cast(
            m.CompanyApplyOutput,
            self._transport.json(
                "POST",
                join("/company/apply"),
                body=body,
            ),
        )


class Operations:
    """Every operation of the REST API, by group."""

    def __init__(self, transport: Transport) -> None:
        self.job = JobOperations(transport)
        self.view = ViewOperations(transport)
        self.pipeline = PipelineOperations(transport)
        self.trigger = TriggerOperations(transport)
        self.template = TemplateOperations(transport)
        self.performance = PerformanceOperations(transport)
        self.artifact = ArtifactOperations(transport)
        self.site = SiteOperations(transport)
        self.instance = InstanceOperations(transport)
        self.offer = OfferOperations(transport)
        self.forecast = ForecastOperations(transport)
        self.overview = OverviewOperations(transport)
        self.search = SearchOperations(transport)
        self.policy = PolicyOperations(transport)
        self.draft = DraftOperations(transport)
        self.backtest = BacktestOperations(transport)
        self.shadow = ShadowOperations(transport)
        self.plan = PlanOperations(transport)
        self.spend = SpendOperations(transport)
        self.ledger = LedgerOperations(transport)
        self.carbon = CarbonOperations(transport)
        self.budget = BudgetOperations(transport)
        self.approval = ApprovalOperations(transport)
        self.alert = AlertOperations(transport)
        self.channel = ChannelOperations(transport)
        self.rates = RatesOperations(transport)
        self.currency = CurrencyOperations(transport)
        self.data_set = DataSetOperations(transport)
        self.store = StoreOperations(transport)
        self.statement = StatementOperations(transport)
        self.bill = BillOperations(transport)
        self.audit = AuditOperations(transport)
        self.secret = SecretOperations(transport)
        self.token = TokenOperations(transport)
        self.account = AccountOperations(transport)
        self.role = RoleOperations(transport)
        self.notification = NotificationOperations(transport)
        self.team = TeamOperations(transport)
        self.group_mapping = GroupMappingOperations(transport)
        self.setup = SetupOperations(transport)
        self.company = CompanyOperations(transport)
