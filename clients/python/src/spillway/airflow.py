"""An operator, a sensor and a trigger for Apache Airflow 2.7 or newer. Airflow itself is not installed with this package.

    SpillwayOperator(task_id="train", command="python train.py", gpus=8, team="risk", deferrable=True)
"""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Dict, Mapping, Optional, Sequence, Tuple

from airflow.exceptions import AirflowException
from airflow.hooks.base import BaseHook
from airflow.models import BaseOperator
from airflow.sensors.base import BaseSensorOperator
from airflow.triggers.base import BaseTrigger, TriggerEvent

from ._client import Client
from ._documents import Command
from ._jobs import ENDED, Job


def client_of(spillway_conn_id: Optional[str]) -> Client:
    """The client of a connection (host: address, password: token); without one, of the environment."""
    if spillway_conn_id is None:
        return Client()
    connection = BaseHook.get_connection(spillway_conn_id)
    return Client(url=connection.host, token=connection.password)


class SpillwayTrigger(BaseTrigger):
    """Fires when the job has ended. It stores no token: the triggerer reads the connection."""

    def __init__(self, job_id: str, spillway_conn_id: Optional[str] = None, poll_seconds: float = 15.0) -> None:
        super().__init__()
        self.job_id = job_id
        self.spillway_conn_id = spillway_conn_id
        self.poll_seconds = poll_seconds

    def serialize(self) -> Tuple[str, Dict[str, Any]]:
        arguments = {"job_id": self.job_id, "spillway_conn_id": self.spillway_conn_id, "poll_seconds": self.poll_seconds}
        return "spillway.airflow.SpillwayTrigger", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        job = client_of(self.spillway_conn_id).job(self.job_id)
        while (await asyncio.to_thread(job.refresh)).state not in ENDED:
            await asyncio.sleep(self.poll_seconds)
        yield TriggerEvent({"job_id": job.id, "state": job.state, "reason": job.reason})


class SpillwayOperator(BaseOperator):
    """Submits a job and waits for its end. Returns the job's id. ``job`` takes further arguments of ``spillway.run``."""

    template_fields: Sequence[str] = ("command", "team", "job_name", "job")

    def __init__(
        self,
        *,
        command: Command,
        gpus: int = 1,
        team: Optional[str] = None,
        job_name: Optional[str] = None,
        job: Optional[Mapping[str, Any]] = None,
        spillway_conn_id: Optional[str] = None,
        deferrable: bool = False,
        poll_seconds: float = 15.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.command = command
        self.gpus = gpus
        self.team = team
        self.job_name = job_name
        self.job = dict(job or {})
        self.spillway_conn_id = spillway_conn_id
        self.deferrable = deferrable
        self.poll_seconds = poll_seconds
        self.job_id: Optional[str] = None

    def execute(self, context: Any) -> str:
        client = client_of(self.spillway_conn_id)
        submitted = client.run(self.command, gpus=self.gpus, team=self.team, name=self.job_name, **self.job)
        self.job_id = submitted.id
        self.log.info("Submitted %s", submitted.id)
        if self.deferrable:
            trigger = SpillwayTrigger(submitted.id, self.spillway_conn_id, self.poll_seconds)
            self.defer(trigger=trigger, method_name="execute_complete")
        submitted.wait(check=False, poll_seconds=self.poll_seconds)
        return _finish(submitted.id, submitted.state, submitted.reason)

    def execute_complete(self, context: Any, event: Mapping[str, Any]) -> str:
        """Continues after the trigger."""
        return _finish(event["job_id"], event["state"], event["reason"])

    def on_kill(self) -> None:
        """A killed task cancels its job."""
        if self.job_id is not None:
            client_of(self.spillway_conn_id).job(self.job_id).cancel()


class SpillwaySensor(BaseSensorOperator):
    """Waits for a job that was submitted elsewhere."""

    template_fields: Sequence[str] = ("job_id",)

    def __init__(
        self,
        *,
        job_id: str,
        spillway_conn_id: Optional[str] = None,
        deferrable: bool = False,
        poll_seconds: float = 15.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.job_id = job_id
        self.spillway_conn_id = spillway_conn_id
        self.deferrable = deferrable
        self.poll_seconds = poll_seconds

    def execute(self, context: Any) -> Any:
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            trigger = SpillwayTrigger(self.job_id, self.spillway_conn_id, self.poll_seconds)
            self.defer(trigger=trigger, method_name="execute_complete")
        return self.job_id

    def poke(self, context: Any) -> bool:
        job: Job = client_of(self.spillway_conn_id).job(self.job_id)
        if job.state not in ENDED:
            return False
        _finish(job.id, job.state, job.reason)
        return True

    def execute_complete(self, context: Any, event: Mapping[str, Any]) -> str:
        """Continues after the trigger."""
        return _finish(event["job_id"], event["state"], event["reason"])


def _finish(job_id: str, state: str, reason: str) -> str:
    if state != "succeeded":
        raise AirflowException(f"{job_id} {state}. {reason}")
    return job_id
