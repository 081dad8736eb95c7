"""Address and token, from the same places as the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Mapping, Optional
from urllib.parse import urlsplit

from ._errors import SettingsError


def find_url(given: Optional[str], env: Mapping[str, str]) -> str:
    """The address without a slash at the end: given, ``SPILLWAY_URL``, or this host."""
    url = given or env.get("SPILLWAY_URL") or f"http://127.0.0.1:{env.get('SPILLWAY_PORT') or 3000}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{url!r} is not an address such as http://127.0.0.1:3000. Set url or SPILLWAY_URL.")
    if parts.username or parts.password:
        raise SettingsError("The address must not contain a user or password. Set the token instead.")
    return url.rstrip("/")


def find_token(given: Optional[str], url: str, env: Mapping[str, str]) -> str:
    """The token: given, ``SPILLWAY_TOKEN``, from ``spillway login``, or from the Spillway folder."""
    token = given or env.get("SPILLWAY_TOKEN") or _saved_token(url, env) or _token_of_folder(env)
    if not token:
        raise SettingsError("There is no token. Run spillway login, or set token or SPILLWAY_TOKEN.")
    if len(token) > 256 or any(not 33 <= ord(letter) <= 126 for letter in token):
        raise SettingsError("The token must be 1 to 256 printable characters without spaces.")
    return token


def _saved_token(url: str, env: Mapping[str, str]) -> Optional[str]:
    config = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME") or Path.home()) / ".config")
    file = config / "spillway" / "logins.json"
    try:
        logins = json.loads(file.read_text())
        return str(logins[url]["token"]) if url in logins else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file} cannot be read. Delete it and run spillway login again.") from error


def _token_of_folder(env: Mapping[str, str]) -> Optional[str]:
    home = Path(env.get("SPILLWAY_HOME") or ".spillway")
    try:
        return (home / "token").read_text().strip()
    except OSError:
        return None


def current_environment() -> Mapping[str, str]:
    """The environment of this process."""
    return os.environ
