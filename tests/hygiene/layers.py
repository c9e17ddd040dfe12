"""layers.py: who may include whom under src/, and which third-party headers; the table of docs/architecture.md."""
import re

from sources import bare, close, line_of, name_of, sources

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.M)
PURE = {"core"}
LAYERS = {  # folder: folders under src/ that it may include
    "core": PURE,
    "parse": PURE | {"parse"},
    "launch": PURE | {"launch", "parse"},
    "async": PURE | {"async", "parse"},
    "net": PURE | {"async", "net", "parse"},
    "auth": PURE | {"async", "auth", "parse"},
    "resolve": PURE | {"async", "auth", "launch", "parse", "resolve"},
    "sim": PURE | {"async", "launch", "net", "parse", "sim"},
    "tools": None,  # everything
}
# Folders without Asio, and the public headers they may use.
ASIO_FREE = {"core", "parse", "launch"}
CORE_HEADERS = {"accelerator", "cluster_spec", "cluster_status", "device", "device_attributes", "endpoint", "error", "host_list", "http_message", "log", "megascale", "metrics",
                "retry_policy",
                "secret", "server_access", "surroundings", "target", "time", "tpu_metadata"}
LIBRARIES = {  # third-party header prefix: where it may appear
    "asio": {"async", "net", "auth", "resolve", "sim", "tools"},
    "boost/beast": {"net"},
    "boost/asio": set(),
    "openssl": {"net", "sim", "tools"},
    "ares": {"net"},
    "zlib": {"net", "sim"},
    "grpc": {"net", "sim"},
    "grpcpp": {"net", "sim"},
    "boost/json": {"core", "parse", "sim"},
    "yaml": {"parse"},
    "CLI": {"tools"},
}

BEAST = {"src/net/request_parser.cpp", "src/net/response_parser.cpp"}
ANY_LIBRARY = BEAST | {"src/tools/linked_versions.cpp"}


def faults_of(path):
    layer = path.parts[path.parts.index("src") + 1]
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        where = f"{name_of(path)}:{line_of(text, match.start())}"
        if quote == "<":
            for prefix, allowed in LIBRARIES.items():
                if re.match(re.escape(prefix) + r"($|[/._])", header) and layer not in allowed and name_of(path) not in ANY_LIBRARY:
                    yield f"{where}: {layer} must not include <{header}>"
            continue
        first = header.split("/")[0]
        if first == "rollcall":
            if layer in ASIO_FREE and not (header.count("/") == 1 and header[9:-4] in CORE_HEADERS):
                yield f"{where}: {layer} is free of Asio, {header} is not"
        elif LAYERS.get(layer) is not None and first in LAYERS and first not in LAYERS[layer]:
            yield f"{where}: {layer} must not include {header}"
        elif layer not in LAYERS:
            yield f"{where}: no rule for the folder src/{layer}"


def main():
    paths = list(sources("src"))
    faults = [fault for path in paths for fault in faults_of(path)]
    # Beast's headers bring Boost.Asio: they stay in the two codecs.
    for path in paths:
        if "<boost/beast" in path.read_text(encoding="utf-8") and name_of(path) not in ANY_LIBRARY:
            faults.append(f"{name_of(path)}: Beast belongs into {' and '.join(sorted(BEAST))} only")
    close(len(paths), faults)


main()
