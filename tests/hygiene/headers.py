"""headers.py COMPILER…: every public header compiles alone with the first installed compiler, and all together with the others. None includes Boost.Asio, Beast, OpenSSL, gRPC or
a private header."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from sources import ROOT, close, name_of, sources

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-I", str(ROOT / "include"), "-DASIO_STANDALONE",
         "-DASIO_NO_DEPRECATED", "-DASIO_HAS_CO_AWAIT=1", "-DASIO_HAS_STD_COROUTINE=1", "-DASIO_HAS_STD_ALIGNED_ALLOC=1"]
FORBIDDEN = re.compile(r"/boost/(asio|beast)/|/openssl/|/grpc|^" + re.escape(str(ROOT / "src")) + "/")
FORBIDDEN_IN_CORE = re.compile(r"/asio/|/asio\.hpp$")
# The headers of rollcall::core: usable without Asio.
CORE = {"accelerator", "cluster_change", "cluster_spec", "cluster_status", "device", "doctor_report", "endpoint", "error", "found", "host_list", "http_message", "local_files", "log", "retry_policy", "secret", "surroundings", "target", "time",
        "wait_progress"}


def compile_them(compiler, headers):
    # Twice: a header without a guard fails at once.
    text = "".join(f'#include "{header}"\n' for header in headers) * 2
    return subprocess.run([compiler, *FLAGS, "-H", "-"], input=text, capture_output=True, text=True)


def said_by(run):
    return "\n".join(line for line in run.stderr.splitlines() if not line.startswith("."))[:2000]


def check_together(compiler, headers):
    run = compile_them(compiler, headers)
    return [f"all headers with {os.path.basename(compiler)} do not compile together:\n{said_by(run)}"] if run.returncode else []


def check(compiler, header):
    run = compile_them(compiler, [header])
    where = f"{name_of(header)} with {os.path.basename(compiler)}"
    if run.returncode:
        return [f"{where}: does not compile alone:\n" + said_by(run)]
    included = [os.path.normpath(line.lstrip(".").strip()) for line in run.stderr.splitlines() if line.startswith(".")]
    bad = [path for path in included if FORBIDDEN.search(path)]
    if header.parent.name == "rollcall" and header.stem in CORE:
        bad += [path for path in included if FORBIDDEN_IN_CORE.search(path)]
    return [f"{where}: includes {bad[0]}"] if bad else []


def main():
    compilers = [found for name in sys.argv[1:] if (found := shutil.which(name))]
    headers = list(sources("include"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda header: check(compilers[0], header), headers))
        results += list(pool.map(lambda compiler: check_together(compiler, headers), compilers[1:]))
    close(len(results), [fault for result in results for fault in result])


main()
