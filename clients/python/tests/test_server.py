"""The client against a running server, whose jobs are played (server/api/testing/play-jobs.ts)."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest
import spillway

pytestmark = pytest.mark.skipif("SPILLWAY_URL" not in os.environ, reason="SPILLWAY_URL is not set")

TRIAL = {"LINES": "epoch 1 loss=${{ trial.rate }}"}


def test_run_wait_logs_and_download(tmp_path: Path) -> None:
    job = spillway.run("python train.py", gpus=1, env={"LINES": "one\ntwo"}, outputs={"model": "out"})
    assert [str(line) for line in job.logs(follow=True)] == ["one", "two"]
    assert job.wait(poll_seconds=0.02).state == "succeeded"
    assert (job.name, job.exit_code, job.is_ended) == ("train", 0, True)
    assert isinstance(job.cost_usd, Decimal)
    assert [line.number for line in job.logs()] == [1, 2]
    assert [str(line) for line in job.logs(tail=1)] == ["two"]
    model = job.artifacts["model"]
    target = model.download(tmp_path / "here")
    assert target.read_text() == "weights of model" and model.read() == b"weights of model"
    target.write_text("damaged")
    assert model.download(tmp_path / "here").read_text() == "weights of model"
    assert job.id in job._repr_html_() and "model" in model._repr_html_() and "succeeded" in repr(job)
    assert [one.id for one in spillway.jobs(q=job.id)] == [job.id]
    assert "attempts" in job.receipt()


def test_a_failed_job_raises() -> None:
    job = spillway.run(["false"], env={"EXIT": 3})
    with pytest.raises(spillway.JobFailedError, match="exit code 3") as caught:
        job.wait(poll_seconds=0.02)
    assert caught.value.id == job.id
    assert job.wait(check=False).exit_code == 3


def test_a_waiting_job_explains_itself_and_is_cancelled() -> None:
    job = spillway.run("true", env={"STAY": 1})
    with pytest.raises(spillway.WaitTimeoutError, match="continues"):
        job.wait(timeout=0, poll_seconds=0.02)
    assert job.explain() != ""
    assert job.cancel().state == "cancelled"
    with pytest.raises(spillway.ConflictError):
        job.cancel()


def test_quotes() -> None:
    quote = spillway.quote("python train.py", gpus=1, estimate="1h")
    assert quote.outcome in ("place_home", "launch", "wait")
    assert quote.candidates and quote.reason and quote.start is not None and quote.finish is not None
    assert quote.start < quote.finish
    assert quote.expected_usd is not None and "table" in quote._repr_html_()
    sweep = spillway.sweep_document("true", grid={"rate": [1, 2]}, estimate="1h")
    whole = spillway.quote_document(sweep)
    assert isinstance(whole, spillway.PipelineQuote)
    assert whole.maximum_usd >= whole.expected_usd and "table" in whole._repr_html_()


def test_a_sweep_shows_its_best_trial() -> None:
    sweep = spillway.sweep(
        "train --rate ${{ trial.rate }}",
        grid={"rate": [0.5, 0.25, 0.75]},
        metric="loss",
        rule="none",
        env=TRIAL,
        metrics=["epoch {step} loss={loss}"],
    )
    sweep.wait(poll_seconds=0.02)
    best = sweep.best()
    assert best is not None and best["values"] == {"rate": 0.25} and best["best"] == 0.25
    assert len(sweep.runs()) == 3 and "0.25" in sweep._repr_html_()


def test_a_file_is_submitted(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(
        "apiVersion: spillway/v1\nkind: Pipeline\nmetadata: { name: two, team: research }\nspec:\n  steps:\n"
        "    - { name: first, job: { command: [a] } }\n    - { name: second, needs: [first], job: { command: [b] } }\n"
    )
    pipeline = spillway.submit(file)
    assert isinstance(pipeline, spillway.Pipeline)
    assert pipeline.wait(poll_seconds=0.02).state == "succeeded"
    assert [run["step"] for run in pipeline.runs()] == ["first", "second"]


def test_errors_say_what_to_do() -> None:
    with pytest.raises(spillway.NotFoundError, match="no job"):
        spillway.job("job_" + "0" * 26).refresh()
    with pytest.raises(spillway.ApiError, match="gpus") as caught:
        spillway.run("true", gpus=0)
    assert caught.value.status == 400 and caught.value.fields[0]["path"] == "spec.resources.gpus"
    with pytest.raises(spillway.ForbiddenError):
        next(spillway.Client(token="spw_wrong").jobs())
    with pytest.raises(spillway.UnreachableError, match="SPILLWAY_URL"):
        next(spillway.Client(url="http://127.0.0.1:1", token="x").jobs())


def test_operations_of_the_api_are_there() -> None:
    api = spillway.Client().api
    assert [team["name"] for team in api.team.list()["items"]] == ["research"]
    spend = api.spend.by(group_by="team")
    assert cast(spillway.models.Spend, spend)["totals"]["totalMicroUsd"].isdigit()
    assert api.job.list(state=["queued", "running"], class_="sensitive", limit=1)["items"] == []
