"""headers.py COMPILER…: every public header compiles alone and drags in no Boost.Asio, Beast, OpenSSL, gRPC or private header."""
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
# What rollcall::core offers: usable without Asio.
CORE = {"accelerator", "cluster_change", "cluster_spec", "cluster_status", "device", "doctor_report", "endpoint", "error", "found", "host_list", "http_message", "log", "retry_policy", "secret", "surroundings", "target", "time",
        "wait_progress"}


def check(compiler, header):
    # Twice: a header without a guard shows at once.
    text = f'#include "{header}"\n#include "{header}"\n'
    run = subprocess.run([compiler, *FLAGS, "-H", "-"], input=text, capture_output=True, text=True)
    where = f"{name_of(header)} with {os.path.basename(compiler)}"
    if run.returncode:
        return [f"{where}: does not compile alone:\n" + "\n".join(l for l in run.stderr.splitlines() if not l.startswith("."))[:2000]]
    included = [os.path.normpath(line.lstrip(".").strip()) for line in run.stderr.splitlines() if line.startswith(".")]
    bad = [path for path in included if FORBIDDEN.search(path)]
    if header.parent.name == "rollcall" and header.stem in CORE:
        bad += [path for path in included if FORBIDDEN_IN_CORE.search(path)]
    return [f"{where}: includes {bad[0]}"] if bad else []


def main():
    compilers = [found for name in sys.argv[1:] if (found := shutil.which(name))]
    headers = list(sources("include"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda pair: check(*pair), [(c, h) for c in compilers for h in headers]))
    close(len(results), [fault for result in results for fault in result])


main()
