"""Results of jobs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import List, Union

from . import _models as m
from ._errors import SpillwayError
from ._html import table
from ._operations import Operations

_CHUNK_BYTES = 1 << 20


class Artifact:
    """A result of a job: one or more files."""

    def __init__(self, api: Operations, data: m.Artifact) -> None:
        self._api = api
        self.data = data

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def size_bytes(self) -> int:
        """Size of all files."""
        return self.data["bytes"]

    @property
    def files(self) -> List[str]:
        """Paths of the files."""
        return [file["path"] for file in self.data["fileList"]]

    def download(self, to: Union[str, "os.PathLike[str]"] = ".") -> Path:
        """Downloads all files into ``to`` and checks their SHA-256 sums.

        Returns the file if there is only one, else the folder. Files that are already there with the
        same sum are not downloaded again.
        """
        if self.data["deletedAt"] is not None:
            raise SpillwayError(f"The files of {self.name} were deleted at {self.data['deletedAt']}.")
        folder = Path(to)
        paths = [self._download_file(folder, file) for file in self.data["fileList"]]
        return paths[0] if len(paths) == 1 else folder

    def read(self, path: Union[str, None] = None) -> bytes:
        """The bytes of one file; without a path, of the only file."""
        if path is None:
            if len(self.files) != 1:
                raise ValueError(f"{self.name} has {len(self.files)} files. Name one of: {', '.join(self.files[:5])}.")
            path = self.files[0]
        with self._api.artifact.download(self.id, path=path) as response:
            return response.read()

    def _download_file(self, folder: Path, file: m.ArtifactFileListItem) -> Path:
        target = folder.joinpath(*_safe_parts(file["path"]))
        if target.is_file() and _sha256(target) == file["sha256"]:
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        with self._api.artifact.download(self.id, path=file["path"]) as response, open(part, "wb") as out:
            while True:
                chunk = response.read(_CHUNK_BYTES)
                if not chunk:
                    break
                out.write(chunk)
        if _sha256(part) != file["sha256"]:
            part.unlink()
            raise SpillwayError(f"{file['path']} arrived damaged: its SHA-256 sum differs. Download it again.")
        os.replace(part, target)
        return target

    def __repr__(self) -> str:
        return f"<Artifact {self.name}: {self.data['files']} files, {self.size_bytes:,} bytes>"

    def _repr_html_(self) -> str:
        rows = [[file["path"], f"{file['bytes']:,}", file["sha256"][:12]] for file in self.data["fileList"]]
        return table(f"{self.name} ({self.data['kind']})", rows, ["file", "bytes", "SHA-256"])


def _safe_parts(path: str) -> List[str]:
    """Parts of a path that stays below its folder."""
    parts = list(PurePosixPath(path).parts)
    if not parts or path.startswith("/") or ".." in parts or any("\\" in part or ":" in part for part in parts):
        raise SpillwayError(f"The file name {path!r} would leave the folder. It was not downloaded.")
    return parts


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(_CHUNK_BYTES), b""):
            digest.update(chunk)
    return digest.hexdigest()
