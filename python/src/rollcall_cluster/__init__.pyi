# The package for type checkers: the same names, which __init__.py imports when they are used.

from . import launch as launch
from . import testing as testing
from ._async import AsyncStream as AsyncStream
from ._async import Client as Client
from ._errors import Cancelled as Cancelled
from ._errors import CommandFailed as CommandFailed
from ._errors import CommandMismatch as CommandMismatch
from ._errors import CommandNotFound as CommandNotFound
from ._errors import Conflict as Conflict
from ._errors import ConnectTimeout as ConnectTimeout
from ._errors import DeadlineExceeded as DeadlineExceeded
from ._errors import FailedPrecondition as FailedPrecondition
from ._errors import HandshakeTimeout as HandshakeTimeout
from ._errors import HttpError as HttpError
from ._errors import InvalidArgument as InvalidArgument
from ._errors import LimitExceeded as LimitExceeded
from ._errors import MalformedResponse as MalformedResponse
from ._errors import NotFound as NotFound
from ._errors import NotReady as NotReady
from ._errors import PermissionDenied as PermissionDenied
from ._errors import RateLimited as RateLimited
from ._errors import RefusedByPolicy as RefusedByPolicy
from ._errors import ResolveTimeout as ResolveTimeout
from ._errors import ResponseTimeout as ResponseTimeout
from ._errors import RollcallError as RollcallError
from ._errors import RpcError as RpcError
from ._errors import TlsFailed as TlsFailed
from ._errors import Unauthenticated as Unauthenticated
from ._errors import Unavailable as Unavailable
from ._errors import Unimplemented as Unimplemented
from ._errors import UnknownHost as UnknownHost
from ._errors import Unreachable as Unreachable
from ._inventory import Check as Check
from ._inventory import Device as Device
from ._inventory import Devices as Devices
from ._inventory import Diagnosis as Diagnosis
from ._inventory import Found as Found
from ._inventory import HostDevices as HostDevices
from ._inventory import LocalDevice as LocalDevice
from ._inventory import LocalDevices as LocalDevices
from ._inventory import TargetDevices as TargetDevices
from ._inventory import Topology as Topology
from ._inventory import VisibleDevices as VisibleDevices
from ._inventory import Worker as Worker
from ._preflight import Finding as Finding
from ._preflight import FindingMember as FindingMember
from ._preflight import GpuHealth as GpuHealth
from ._preflight import GpuUser as GpuUser
from ._preflight import HostFact as HostFact
from ._preflight import HostFacts as HostFacts
from ._preflight import PreflightUnknown as PreflightUnknown
from ._preflight import Verdict as Verdict
from ._states import Accelerators as Accelerators
from ._states import Barrier as Barrier
from ._states import BarrierAbsence as BarrierAbsence
from ._states import BarrierProgress as BarrierProgress
from ._states import Cause as Cause
from ._states import Change as Change
from ._states import ChangeKind as ChangeKind
from ._states import Condition as Condition
from ._states import Member as Member
from ._states import MemberState as MemberState
from ._states import MissingMember as MissingMember
from ._states import Notice as Notice
from ._states import Part as Part
from ._states import Progress as Progress
from ._states import Status as Status
from ._states import Why as Why
from ._states import WhyGroup as WhyGroup
from ._sync import SyncClient as SyncClient
from ._sync import SyncStream as SyncStream
from ._values import ClusterSpec as ClusterSpec
from ._values import Failure as Failure
from ._values import Task as Task

__version__: str

_client: Client
_sync_client: SyncClient

resolve = _client.resolve
resolve_sync = _sync_client.resolve
status = _client.status
status_sync = _sync_client.status
why = _client.why
why_sync = _sync_client.why
wait = _client.wait
wait_sync = _sync_client.wait
devices = _client.devices
devices_sync = _sync_client.devices
accelerators = _client.accelerators
accelerators_sync = _sync_client.accelerators
whoami = _client.whoami
whoami_sync = _sync_client.whoami
topology = _client.topology
topology_sync = _sync_client.topology
doctor = _client.doctor
doctor_sync = _sync_client.doctor
barrier = _client.barrier
barrier_sync = _sync_client.barrier
preflight = _client.preflight
preflight_sync = _sync_client.preflight
watch = _client.watch
watch_sync = _sync_client.watch
discover = _client.discover
discover_sync = _sync_client.discover
