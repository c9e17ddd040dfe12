"""The failures as exceptions: one class for every kind, in groups that match the command's exit codes.

Each class is also Python's own class of that meaning (`ValueError`, `LookupError`, `PermissionError`, `ConnectionError`, `TimeoutError`), so that code without knowledge of
Rollcall handles it correctly. Cancellation is never one of these: it is `asyncio.CancelledError`.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._values import Failure

if TYPE_CHECKING:
    from ._states import BarrierAbsence, BarrierProgress, MissingMember, Progress


class RollcallError(Exception):
    """A question that could not be answered. Its text is the line that the command would print.

    Attributes:
        code: the stable name of the kind of failure, such as `not_found`.
        failure: all of it as one value, a `Failure`.
        target: the target as it was given; may be empty.
        message: the question, and what went wrong.
        hint: how to fix it; may be empty.
        asked: the address of the request; may be empty.
        phase: `none`, `resolve`, `connect`, `handshake`, `response` or `overall`.
        attempts: requests sent.
        http_status: the last status; 0 when no answer came.
        elapsed: seconds that it took.
        progress: of a `wait`, a `barrier` or a `preflight`, the last progress; else None.
        missing: of a `wait`, all members that were missing at the end; of a `barrier`, the tasks that were late; else empty.
    """

    code = "error"

    def __init__(self, line: str, failure: Failure | None = None, progress: Progress | BarrierProgress | None = None) -> None:
        super().__init__(line)
        self.failure = failure if failure is not None else Failure(code=type(self).code, message=line)
        self.code = self.failure.code
        self.progress = progress

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.failure, self.progress)

    @property
    def target(self) -> str:
        return self.failure.target

    @property
    def message(self) -> str:
        return self.failure.message

    @property
    def hint(self) -> str:
        return self.failure.hint

    @property
    def asked(self) -> str:
        return self.failure.asked

    @property
    def phase(self) -> str:
        return self.failure.phase

    @property
    def attempts(self) -> int:
        return self.failure.attempts

    @property
    def http_status(self) -> int:
        return self.failure.http_status

    @property
    def elapsed(self) -> float:
        return self.failure.elapsed

    @property
    def missing(self) -> tuple[MissingMember, ...] | tuple[BarrierAbsence, ...]:
        return self.progress.missing if self.progress is not None else ()


# Exit code 1: failed for good.
class NotFound(RollcallError, LookupError):
    """The named thing does not exist: a job, a task, a TPU, a file."""

    code = "not_found"


class Conflict(RollcallError):
    """Two sources claim the same task index of one job."""

    code = "conflict"


class Unimplemented(RollcallError, NotImplementedError):
    """The question is well formed, but this version or the service cannot answer it."""

    code = "unimplemented"


class NotReady(RollcallError):
    """The cluster exists but is not usable yet, or never will be; the text has the state and `missing` the members."""

    code = "not_ready"


class FailedPrecondition(RollcallError):
    """The environment is not of the kind that the question needs."""

    code = "failed_precondition"


class MalformedResponse(RollcallError):
    """A service's answer cannot be interpreted."""

    code = "malformed_response"


class TlsFailed(RollcallError):
    """The TLS handshake failed: certificate, name, protocol."""

    code = "tls_failed"


class HttpError(RollcallError):
    """Another final HTTP status, which `http_status` has."""

    code = "http_error"


class RpcError(RollcallError):
    """Another final gRPC status."""

    code = "rpc_error"


class LimitExceeded(RollcallError):
    """An answer was larger or deeper than a limit allows."""

    code = "limit_exceeded"


# Exit code 2: wrong usage.
class InvalidArgument(RollcallError, ValueError):
    """An argument, option, environment variable or file has the wrong form or value."""

    code = "invalid_argument"


# Exit code 3: timed out.
class DeadlineExceeded(RollcallError, TimeoutError):
    """The time of the whole call passed; of a `wait`, `missing` has the missing members."""

    code = "deadline_exceeded"


class ResolveTimeout(DeadlineExceeded):
    """The look-up of a host's name took too long."""

    code = "resolve_timeout"


class ConnectTimeout(DeadlineExceeded):
    """A connection took too long."""

    code = "connect_timeout"


class HandshakeTimeout(DeadlineExceeded):
    """A TLS handshake took too long."""

    code = "handshake_timeout"


class ResponseTimeout(DeadlineExceeded):
    """A server did not answer, or stopped answering, for too long."""

    code = "response_timeout"


# Exit code 4: not allowed.
class PermissionDenied(RollcallError, PermissionError):
    """The service knows the caller and refuses (HTTP 403)."""

    code = "permission_denied"


class Unauthenticated(PermissionDenied):
    """The service needs credentials, or other ones (HTTP 401); or none were found."""

    code = "unauthenticated"


class RefusedByPolicy(PermissionDenied):
    """Sending would break a safety rule, such as a token over plain http: nothing was sent."""

    code = "refused_by_policy"


# Exit code 5: unreachable, after the retries.
class Unreachable(RollcallError, ConnectionError):
    """No connection could be made: refused, reset, no route, closed early."""

    code = "unreachable"


class UnknownHost(Unreachable):
    """A host's name does not exist."""

    code = "unknown_host"


class Unavailable(Unreachable):
    """The service answered that it cannot serve now (HTTP 5xx, 408)."""

    code = "unavailable"


class RateLimited(Unreachable):
    """A quota or rate limit was hit and did not clear within the retries."""

    code = "rate_limited"


# Failures of the client or of the command, not of a question.
class Cancelled(RollcallError):
    """The client was closed, or its command ended, before the question was answered."""

    code = "cancelled"


class CommandFailed(RollcallError):
    """The command died, hangs, or violates the protocol. The next question starts a new one."""

    code = "command_failed"


class CommandNotFound(CommandFailed, FileNotFoundError):
    """The command was not found: not at `ROLLCALL_COMMAND`, not in the package, not on PATH."""

    code = "command_not_found"


class CommandMismatch(CommandFailed):
    """The command speaks another version of the protocol than this package."""

    code = "command_mismatch"


def _tree(base: type[RollcallError]) -> dict[str, type[RollcallError]]:
    found = {base.code: base}
    for one in base.__subclasses__():
        found.update(_tree(one))
    return found


BY_CODE: Mapping[str, type[RollcallError]] = _tree(RollcallError)


def error_of(failure: Failure, line: str = "", progress: Progress | BarrierProgress | None = None) -> RollcallError:
    """The exception for a failure; a code that this version does not know becomes a plain RollcallError."""
    return BY_CODE.get(failure.code, RollcallError)(line or failure.message, failure, progress)
