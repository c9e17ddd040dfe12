"""Shared by both clients: the session's options, the environment that a child gets, and the start of a child."""
from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._child import Child, find_command
from ._question import texts_of
from ._transport import Transport


class ClientOptions:
    """Options hold for all questions of a client. A child is started by the first question.

    Args:
        project, zone: for targets without them.
        api: the TPU API's version, for targets without one.
        token_file: a file whose first line is the access token; read again for every request.
        ca: a PEM file of trust anchors, instead of the system's.
        client_certificate, client_key: PEM files for servers that ask for a certificate; the key may be in the certificate's file.
        proxy: the proxy for https, `http://[USER:PASSWORD@]HOST:PORT` or `socks5h://…`; default: that of the environment.
        connect_to: `HOST1:PORT1:HOST2:PORT2`, one or several: reach the first at the second.
        http1_1: do not offer HTTP/2 to https servers.
        retries: how often a request may be repeated.
        environ: replaces the process's environment. Without it, `os.environ` at the time of the question counts: if it has changed, a new child is started.
    """

    def __init__(
        self,
        *,
        project: str | None = None,
        zone: str | None = None,
        api: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        ca: str | os.PathLike[str] | None = None,
        client_certificate: str | os.PathLike[str] | None = None,
        client_key: str | os.PathLike[str] | None = None,
        proxy: str | None = None,
        connect_to: str | Iterable[str] | None = None,
        http1_1: bool | None = None,
        retries: int | None = None,
        environ: Mapping[str, str] | None = None,
        command: str | os.PathLike[str] | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "project": project,
            "zone": zone,
            "api": api,
            "token_file": _path(token_file),
            "ca": _path(ca),
            "client_certificate": _path(client_certificate),
            "client_key": _path(client_key),
            "proxy": proxy,
            "connect_to": texts_of("connect_to", connect_to),
            "http1_1": http1_1,
            "retries": retries,
        }
        self._options = {name: value for name, value in given.items() if value is not None}
        self._environ = None if environ is None else _checked(environ)
        self._command = command
        self._is_closed = False
        self._prepare()

    def _prepare(self) -> None:
        """The parameters of a client besides its options."""

    def _environment(self) -> dict[Any, Any]:
        """A snapshot for comparison and for the start of a child."""
        if self._environ is not None:
            return self._environ
        return dict(_process_environment())

    def _is_same(self, environment: dict[Any, Any]) -> bool:
        """True if the environment is still the one that a child was started with."""
        return environment is self._environ or (self._environ is None and environment == _process_environment())

    def _start(self, environment: dict[Any, Any]) -> Transport:
        if self._is_closed:
            raise RuntimeError("the client is closed")
        return Child([find_command(self._command), "serve", "--stdio"], environment)


def _checked(environ: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(environ, Mapping):
        raise TypeError(f"environ is a mapping of texts, not {type(environ).__name__}")
    for name, value in environ.items():  # a value may be a secret: it is not shown
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"environ has texts for names, not {type(name).__name__} {name!r}")
        if not isinstance(value, (str, bytes, os.PathLike)):
            raise TypeError(f"environ[{name!r}] is a text, not {type(value).__name__}")
    return dict(environ)


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def _process_environment() -> Mapping[Any, Any]:
    """As bytes, where Python has them so: nothing is decoded for every question."""
    data = getattr(os.environ, "_data", None)
    return data if isinstance(data, dict) else os.environ


def as_method(method: Callable[..., Any], build: Callable[..., Any]) -> None:
    """Gives a client's method the name, the docstring and the signature of its question."""
    functools.update_wrapper(method, build)
    del method.__wrapped__  # type: ignore[attr-defined]  # its first parameter is no self
    shown = inspect.signature(build)
    self_first = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *shown.parameters.values()]
    answer = str(shown.return_annotation)
    inner = answer[answer.find("[") + 1 : -1] if answer.startswith("Call[") else answer
    method.__signature__ = shown.replace(parameters=self_first, return_annotation=inner)  # type: ignore[attr-defined]
