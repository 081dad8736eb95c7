"""The operator and sensor with stand-ins for Airflow, which PyPI would bring, and ``python -m spillway``."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
import types
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest
import spillway
from spillway.__main__ import main

pytestmark = pytest.mark.skipif("SPILLWAY_URL" not in os.environ, reason="SPILLWAY_URL is not set")


class Deferred(Exception):
    """What Airflow's ``defer`` raises."""

    def __init__(self, trigger: Any, method_name: str) -> None:
        self.trigger = trigger
        self.method_name = method_name


class BaseOperator:
    log = logging.getLogger("airflow")

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id

    def defer(self, *, trigger: Any, method_name: str) -> None:
        raise Deferred(trigger, method_name)


class BaseSensorOperator(BaseOperator):
    def execute(self, context: Any) -> Any:
        while not self.poke(context):  # type: ignore[attr-defined]
            pass


class TriggerEvent:
    def __init__(self, payload: Dict[str, Any]) -> None:
        self.payload = payload


class BaseHook:
    @staticmethod
    def get_connection(conn_id: str) -> Any:
        assert conn_id == "spillway"
        return types.SimpleNamespace(host=os.environ["SPILLWAY_URL"], password=os.environ["SPILLWAY_TOKEN"])


STAND_INS: Dict[str, Dict[str, Any]] = {
    "airflow": {},
    "airflow.exceptions": {"AirflowException": type("AirflowException", (Exception,), {})},
    "airflow.hooks": {},
    "airflow.hooks.base": {"BaseHook": BaseHook},
    "airflow.models": {"BaseOperator": BaseOperator},
    "airflow.sensors": {},
    "airflow.sensors.base": {"BaseSensorOperator": BaseSensorOperator},
    "airflow.triggers": {},
    "airflow.triggers.base": {"BaseTrigger": type("BaseTrigger", (), {}), "TriggerEvent": TriggerEvent},
}


@pytest.fixture(name="airflow")  # type: ignore[misc]
def with_stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, members in STAND_INS.items():
        module = types.ModuleType(name)
        for member, value in members.items():
            setattr(module, member, value)
        monkeypatch.setitem(sys.modules, name, module)
    yield importlib.import_module("spillway.airflow")
    sys.modules.pop("spillway.airflow", None)


def fire(trigger: Any) -> Dict[str, Any]:
    """The event of a trigger that was stored and loaded again, as the triggerer does it."""
    path, arguments = trigger.serialize()
    module, name = path.rsplit(".", 1)
    assert "token" not in str(arguments)

    async def first() -> Any:
        async for event in getattr(importlib.import_module(module), name)(**arguments).run():
            return event.payload

    payload: Dict[str, Any] = asyncio.run(first())
    return payload


def test_the_operator_runs_a_job(airflow: Any) -> None:
    operator = airflow.SpillwayOperator(task_id="train", command="python train.py", poll_seconds=0.02)
    assert spillway.job(operator.execute({})).state == "succeeded"
    failing = airflow.SpillwayOperator(task_id="train", command="false", job={"env": {"EXIT": 2}}, poll_seconds=0.02)
    with pytest.raises(Exception, match="exit code 2"):
        failing.execute({})


def test_a_deferred_operator_continues_after_its_trigger(airflow: Any) -> None:
    operator = airflow.SpillwayOperator(
        task_id="train", command="true", spillway_conn_id="spillway", deferrable=True, poll_seconds=0.02
    )
    with pytest.raises(Deferred) as deferred:
        operator.execute({})
    event = fire(deferred.value.trigger)
    assert getattr(operator, deferred.value.method_name)({}, event) == operator.job_id


def test_a_killed_operator_cancels_its_job(airflow: Any) -> None:
    operator = airflow.SpillwayOperator(task_id="train", command="true", job={"env": {"STAY": 1}}, deferrable=True)
    with pytest.raises(Deferred):
        operator.execute({})
    operator.on_kill()
    assert spillway.job(operator.job_id).state == "cancelled"


def test_the_sensor_waits_for_a_job(airflow: Any) -> None:
    job = spillway.run("true", env={"STAY": 1})
    sensor = airflow.SpillwaySensor(task_id="wait", job_id=job.id, deferrable=True, poll_seconds=0.02)
    with pytest.raises(Deferred) as deferred:
        sensor.execute({})
    job.cancel()
    event = fire(deferred.value.trigger)
    with pytest.raises(Exception, match="cancelled"):
        sensor.execute_complete({}, event)
    done = spillway.run("true").wait(poll_seconds=0.02)
    assert airflow.SpillwaySensor(task_id="wait", job_id=done.id).poke({}) is True


def test_the_command_prints_the_log_and_downloads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--gpus", "1", "--env", "LINES=hello", "--output", "model=out", "--id-file", str(tmp_path / "id" / "job")]
    assert main([*arguments, "--download", f"model={tmp_path}", "--command", "python train.py"]) == 0
    assert capsys.readouterr().out == "hello\n"
    assert (tmp_path / "model").read_text() == "weights of model"
    assert (tmp_path / "id" / "job").read_text().startswith("job_")
    assert main(["--env", "EXIT=4", "--", "false"]) == 1
    assert "exit code 4" in capsys.readouterr().err
    assert main(["--gpus", "0", "--", "true"]) == 2
    assert "gpus" in capsys.readouterr().err
