"""Builds the wheel with the standard library, so that no build needs a package index (PEP 517)."""

from __future__ import annotations

import base64
import hashlib
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

ROOT = Path(__file__).resolve().parent.parent
# The earliest time of a zip file: equal sources give equal wheels.
TIME = (1980, 1, 1, 0, 0, 0)


def _setting(name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml has no {name}")
    return found.group(1)


def _metadata() -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {_setting('name')}", f"Version: {_setting('version')}"]
    lines += [f"Summary: {_setting('description')}", f"Requires-Python: {_setting('requires-python')}", "License: Apache-2.0"]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines)


def _contents() -> Dict[str, bytes]:
    info = f"{_setting('name')}-{_setting('version')}.dist-info"
    sources = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    files = {path.relative_to(ROOT / "src").as_posix(): path.read_bytes() for path in sources}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: spillway\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return files


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel and returns its name."""
    name = f"{_setting('name')}-{_setting('version')}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in _contents().items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Writes the source archive and returns its name."""
    base = f"{_setting('name')}-{_setting('version')}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for part in ("pyproject.toml", "README.md", "src", "build"):
            archive.add(ROOT / part, f"{base}/{part}", filter=lambda info: None if "__pycache__" in info.name else info)
    return f"{base}.tar.gz"
