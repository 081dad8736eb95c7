"""What needs no server: documents, settings, the wheel."""

from __future__ import annotations

import sys
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import spillway
from spillway._artifacts import _safe_parts
from spillway._documents import kind_of
from spillway._html import table
from spillway._settings import find_token, find_url
from spillway._transport import join

ROOT = Path(__file__).resolve().parent.parent


def test_a_command_becomes_a_job_document() -> None:
    document = spillway.job_document(
        "python -m train.main --name 'a b'",
        gpus=8,
        team="risk",
        estimate=timedelta(hours=1, milliseconds=5),
        deadline=datetime(2026, 12, 1, 8, tzinfo=timezone.utc),
        outputs={"model": "out"},
        data={"/data": "s3://acme/claims", "code": ROOT},
    )
    assert document["metadata"] == {"name": "train", "team": "risk"}
    assert document["spec"]["command"] == ["python", "-m", "train.main", "--name", "a b"]
    assert document["spec"]["resources"] == {"gpus": 8}
    assert document["spec"]["duration"] == {"estimate": "3600005ms"}
    assert document["spec"]["deadline"] == "2026-12-01T08:00:00.000+00:00"
    assert document["spec"]["data"][1]["uri"] == ROOT.as_uri()


def test_wrong_arguments_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPILLWAY_TEAM", raising=False)
    with pytest.raises(spillway.SettingsError, match="SPILLWAY_TEAM"):
        spillway.job_document("true")
    with pytest.raises(ValueError, match="time zone"):
        spillway.job_document("true", team="risk", deadline=datetime(2026, 12, 1))
    with pytest.raises(ValueError, match="empty"):
        spillway.job_document([], team="risk")


def test_settings_come_from_the_places_of_the_command_line(tmp_path: Path) -> None:
    assert find_url(None, {"SPILLWAY_PORT": "4000"}) == "http://127.0.0.1:4000"
    with pytest.raises(spillway.SettingsError, match="address"):
        find_url("ftp://x", {})
    logins = tmp_path / "spillway" / "logins.json"
    logins.parent.mkdir()
    logins.write_text('{"https://a": {"token": "saved"}}')
    assert find_token(None, "https://a", {"XDG_CONFIG_HOME": str(tmp_path)}) == "saved"
    (tmp_path / "token").write_text("of-folder\n")
    assert find_token(None, "https://b", {"XDG_CONFIG_HOME": str(tmp_path), "SPILLWAY_HOME": str(tmp_path)}) == "of-folder"
    with pytest.raises(spillway.SettingsError, match="spillway login"):
        find_token(None, "https://b", {"XDG_CONFIG_HOME": str(tmp_path), "SPILLWAY_HOME": "/none"})


def test_paths_stay_where_they_belong() -> None:
    assert join("/a/{x}/b/{y}", "1/2", "ü") == "/a/1%2F2/b/%C3%BC"
    for path in ("../x", "/etc/passwd", "a/../../x", "c:x", "a\\b", ""):
        with pytest.raises(spillway.SpillwayError, match="leave the folder"):
            _safe_parts(path)


def test_html_is_escaped() -> None:
    assert "<script>" not in table("<script>", [["<script>", None]])


def test_kind_of_text() -> None:
    assert kind_of("apiVersion: spillway/v1\nkind: Sweep\n") == "Sweep"
    assert kind_of({"kind": "Pipeline"}) == "Pipeline"


def test_the_wheel_is_built_offline_and_works(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "build"))
    import wheel_backend

    first = tmp_path / wheel_backend.build_wheel(str(tmp_path))
    again = tmp_path / "again"
    again.mkdir()
    assert (again / wheel_backend.build_wheel(str(again))).read_bytes() == first.read_bytes()
    with zipfile.ZipFile(first) as wheel:
        names = wheel.namelist()
        assert "spillway/py.typed" in names and "spillway/_models.py" in names
        assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
        record = wheel.read(next(name for name in names if name.endswith("RECORD"))).decode()
        assert len(record.splitlines()) == len(names)
    source = tmp_path / wheel_backend.build_sdist(str(tmp_path))
    assert source.name == first.name.replace("-py3-none-any.whl", ".tar.gz")
