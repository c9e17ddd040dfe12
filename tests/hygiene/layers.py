"""layers.py: which room under src/ may include which, and which third-party headers; the table of docs/architecture.md."""
import re

from sources import close, line_of, name_of, sources

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.M)
# Values and their forms. They, and the drawers wire/ and rules/ of every room but the simulator's, are free of Asio.
VALUES = "base json accelerator cluster launch whoami render metrics"
CALLS = "base json async call cluster"
SERVICE = f"{CALLS} google auth devices readiness resolvers"  # what a resolver's room builds on
COMMAND = "base programs json async launch render"  # and the public interface: any program must be able to do what the command does
ROOMS = {  # room: rooms that it may include, besides itself and its own sub-folders; the longest matching name counts
    "base": "",
    "json": "base",
    "programs": "base",
    "accelerator": "base json",
    "cluster": "base json",
    "launch": "base json cluster",
    "whoami": "base",
    "render": "base json cluster",
    "metrics": "base cluster",
    "async": "base",
    "crypto": "base",
    "call": "base json async crypto",
    "auth": "base programs json crypto call google",
    "net/socket": "base async",
    "net/codec": "base call",
    "net/dns": "base async cluster net/socket",
    "net/tls": "base crypto net/socket",
    "net/dial": "base async call net/socket net/codec net/dns net/tls",
    "net/http": "base json async net/socket net/codec net/tls net/dial",
    "net/server": "base async net/socket net/codec net/tls",
    "net/grpc": "base crypto async net/socket net/tls net/dial",
    "net/system": "base programs async call net google",
    "google": "base async call",
    "devices": "base programs async call",
    "readiness": "base async call cluster devices google",
    "resolvers": "base async call cluster devices readiness fleet/client",
    "resolvers/tpu": f"{SERVICE} resolvers/launchers/wire fleet/client",
    "resolvers/queued": f"{SERVICE} resolvers/tpu",
    "resolvers/gce": SERVICE,
    "resolvers/kubernetes": f"{SERVICE} accelerator crypto resolvers/kubernetes/access resolvers/kubernetes/chain resolvers/kubernetes/workload",
    "resolvers/kubernetes/access": f"{CALLS} google auth programs",
    "resolvers/kubernetes/chain": f"{SERVICE} resolvers/kubernetes/workload/wire",
    "resolvers/launchers": f"{SERVICE} accelerator",
    "resolvers/slurm": f"{SERVICE} accelerator programs",
    "resolvers/listed": f"{SERVICE} resolvers/launchers/wire",
    "resolvers/auto": f"{SERVICE} accelerator whoami resolvers/tpu resolvers/kubernetes resolvers/kubernetes/access resolvers/launchers",
    "meeting": "base json async crypto call cluster net/server fleet/client",
    "preflight": "base json async crypto call cluster render meeting net/server preflight/host",
    "preflight/host": "base programs async crypto call devices/local",
    "lease": "base json async call resolvers/kubernetes/access",
    "fleet/client": "base json async call cluster google readiness fleet/wire",
    "fleet": "base json async call cluster readiness net/server",
    "fleet/replicas": "base json async call cluster readiness lease fleet",
    "fleet/settings": "base net/tls lease resolvers/kubernetes/access resolvers/slurm fleet/rights/rules",
    "fleet/entry": "base json metrics async call readiness net/server fleet fleet/rights",
    "fleet/runs": "base async call net/server meeting",
    "fleet/http": "base json metrics async call net/server render meeting fleet fleet/page fleet/entry fleet/runs fleet/xds/wire",
    "fleet/rights": "base json async crypto call auth resolvers/kubernetes/access net/server fleet",
    "fleet/page": "base",
    "fleet/service": "base resolvers/slurm async call net/tls net/server net/socket lease fleet fleet/replicas fleet/entry fleet/http fleet/rights fleet/settings fleet/xds",
    "fleet/xds": "base json async call cluster net/server fleet fleet/entry",
    "webhook": "base json call net/tls net/server fleet/settings fleet/service",
    "discover": f"{SERVICE} resolvers/tpu resolvers/queued resolvers/gce resolvers/kubernetes resolvers/kubernetes/access resolvers/slurm",
    "doctor": f"{SERVICE} crypto fleet/client resolvers/tpu",
    "sim/model": "base",
    "sim/wire": "base sim/model",
    "sim/file": "base json sim/model sim/wire",
    "sim/metadata": "base sim/model sim/wire",
    "sim/tpu": "base sim/model sim/wire",
    "sim/compute": "base sim/model sim/wire",
    "sim/kubernetes": "base sim/model sim/wire",
    "sim/sign_in": "base sim/model sim/wire",
    "sim/slurm": "base sim/model sim/wire",
    "sim/workers": "base async sim/model sim/wire",
    "sim/members": "base async call meeting preflight net/server net/socket sim/model",
    "sim/replay": "base sim/model sim/wire",
    "sim/record": "base sim/model sim/wire",
    "sim/cloud": "base sim/model sim/wire sim/file sim/metadata sim/tpu sim/compute sim/kubernetes sim/sign_in sim/slurm sim/workers sim/replay",
    "sim/serve": "base async net sim/wire sim/workers sim/members",
    "command": COMMAND,
    "command/terminal": COMMAND,
    "command/arguments": f"{COMMAND} command/terminal",
    "command/ask": f"{COMMAND} command/arguments",
    "command/process": f"{COMMAND} command/arguments command/terminal",
    "command/show": f"{COMMAND} command/arguments command/ask command/process command/terminal",
    "command/session": f"{COMMAND} command/arguments command/ask",
    "command/run": f"{COMMAND} command/arguments command/ask command/process command/session command/show command/terminal",
}
DRAWERS = {  # pure rooms: they may include more than VALUES
    "fleet/wire": "readiness/rules",
    "fleet/rules": "fleet/wire readiness/rules",
    "fleet/replicas/wire": "fleet/wire",
    "fleet/replicas/rules": "fleet/rules",
    "fleet/rights/rules": "fleet/rights/wire fleet/wire google/wire",
    "fleet/settings/wire": "fleet/rights/rules",
    "fleet/xds/rules": "fleet/xds/wire",
    "fleet/client/rules": "fleet/wire call/rules",
    "devices/local/rules": "devices/local/wire accelerator",
    "preflight/host/rules": "preflight/host/wire devices/local/wire devices/local/rules",
    "auth/wire": "google/wire",
    "auth/rules": "call/rules",
    "lease/rules": "lease/wire",
    "google/rules": "call/rules",
    "resolvers/tpu/rules": "google/wire call/rules",
    "resolvers/gce/rules": "call/rules",
    "resolvers/kubernetes/access/rules": "call/rules",
    "resolvers/queued/wire": "google/wire",
    "resolvers/gce/wire": "google/wire",
    "resolvers/kubernetes/wire": "call/rules",
    "resolvers/kubernetes/rules": "resolvers/kubernetes/wire resolvers/kubernetes/workload/wire",
    "resolvers/kubernetes/chain/rules": "resolvers/kubernetes/chain/wire",
    "resolvers/kubernetes/workload/rules": "resolvers/kubernetes/workload/wire",
    "resolvers/slurm/wire": "call/rules",
    "resolvers/slurm/rules": "call/rules resolvers/slurm/wire",
    "meeting/rules": "meeting/wire",
    "webhook/rules": "webhook/wire",
}
# Public headers without Asio.
CORE_HEADERS = {"accelerator", "barrier_progress", "cause_text", "cluster_change", "cluster_spec", "cluster_status", "cluster_verdict", "device", "doctor_report", "endpoint", "error", "explained_status", "fleet_cluster", "fleet_replicas", "fleet_settings", "found", "host_list", "http_message", "kubernetes_options", "launch", "listed", "local_devices", "log", "missing_groups", "megascale", "metrics", "own_task", "preflight_verdict", "host_checks", "host_report", "preflight_evidence", "proxy_settings", "readiness", "scheme_rules",
                "retry_policy",
                "local_files", "secret", "server_options", "stage", "shared_value", "slurm_process", "environment", "target", "time", "tpu_metadata", "wait_progress", "warned_members", "whoami"}
LIBRARIES = {  # third-party header prefix: the rooms where it may appear
    "asio": "async call net auth google devices readiness resolvers meeting preflight lease fleet webhook discover doctor sim command",
    "boost/beast": "net/codec/response_parser.cpp net/server/request_parser.cpp net/server/answer_writer.cpp",
    "boost/asio": "net/server/request_parser.cpp",  # Beast speaks of buffers
    "openssl": "crypto net auth sim command",
    "ares": "net",
    "nghttp2": "net/codec",
    "zlib": "net sim fleet",
    "grpc": "net sim",
    "grpcpp": "net sim",
    "boost/json": "base json accelerator cluster render call google auth devices resolvers readiness fleet lease doctor sim command/session",
    "yaml": "json",
}
ANY_LIBRARY = {"command/arguments/version.cpp"}


def lies_in(path, rooms):
    return any(path == room or path.startswith(room + "/") for room in rooms.split())


def is_pure(folder):
    return lies_in(folder, VALUES) or (not lies_in(folder, "sim command") and folder.split("/")[-1] in ("wire", "rules"))


def allowed_to(folder):
    """The rooms that a folder may include."""
    if is_pure(folder) and folder not in ROOMS:
        return f"{VALUES} {folder} {DRAWERS.get(folder, '')}"
    room = max((room for room in ROOMS if lies_in(folder, room)), key=len, default=None)
    if room is None:
        raise LookupError(folder)
    own = [folder, f"{folder}/wire", f"{folder}/rules"]
    return " ".join([ROOMS[room], *own])


def is_allowed(header, allowed):
    # A room includes its sub-folders wire/ and rules/, but not other rooms within it.
    folder = header.rsplit("/", 1)[0]
    parents = {folder, folder.removesuffix("/wire"), folder.removesuffix("/rules")}
    named = set(allowed.split())
    return bool(parents & named) or any(room in named and folder.startswith(room + "/") for room in ("net", "command"))


def faults_of(path):
    name = name_of(path).removeprefix("src/")
    folder = name.rsplit("/", 1)[0]
    try:
        allowed = allowed_to(folder)
    except LookupError:
        yield f"{name_of(path)}: no rule for the room {folder}"
        return
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        where = f"{name_of(path)}:{line_of(text, match.start())}"
        if quote == "<":
            for prefix, rooms in LIBRARIES.items():
                if re.match(re.escape(prefix) + r"($|[/._])", header) and not lies_in(name, rooms) and name not in ANY_LIBRARY:
                    yield f"{where}: {folder} must not include <{header}>"
        elif header.startswith("rollcall/"):
            if is_pure(folder) and not (header.count("/") == 1 and header[9:-4] in CORE_HEADERS):
                yield f"{where}: {folder} is free of Asio, {header} is not"
        elif not header.endswith(".pb.h") and not is_allowed(header, allowed):
            yield f"{where}: {folder} must not include {header}"


def room_of(file):
    """The folder of a file; the drawers wire/ and rules/ belong to the room around them."""
    return file.rsplit("/", 1)[0].removesuffix("/wire").removesuffix("/rules")


def included_rooms(paths):
    """For each room the rooms that its files include, each with one such file."""
    rooms = {}
    for path in paths:
        name = name_of(path).removeprefix("src/")
        for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
            header = match[2]
            if match[1] == '"' and "/" in header and not header.startswith("rollcall/") and room_of(header) != room_of(name):
                rooms.setdefault(room_of(name), {}).setdefault(room_of(header), name)
    return rooms


def faults_of_cycles(rooms):
    """A cycle of rooms is one room under several names. Rooms that include no room of the rest are taken away until none is left."""
    rest = set(rooms)
    while free := {room for room in rest if not rest & set(rooms[room])}:
        rest -= free
    while free := {room for room in rest if not any(room in rooms[other] for other in rest)}:  # they only lead to a cycle
        rest -= free
    for room in sorted(rest):
        for other in sorted(rest & set(rooms[room])):
            yield f"src/{rooms[room][other]}: {room} is in a cycle of rooms with {other}"


def main():
    paths = list(sources("src"))
    rooms = included_rooms(paths)
    close(len(paths) + len(rooms), [fault for path in paths for fault in faults_of(path)] + list(faults_of_cycles(rooms)))


if __name__ == "__main__":
    main()
