#!/usr/bin/env python3
"""Runs fuzz targets, each for so many minutes of processor time, and prints executions and edges.

Processor time and not wall time: the figures are comparable on a busy machine.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SLICE_SECONDS = 60  # libFuzzer can be limited by wall time only: it is run again until it has had its processor time


def last_number(pattern, text):
    found = re.findall(pattern, text, re.MULTILINE)
    return int(found[-1]) if found else 0


def run_once(command, log):
    """Runs the command with its output into the log; returns exit status, processor seconds and the output."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, log.read_text(errors="replace")


def fuzz(root, name, seconds, keep):
    build = root / "build/fuzz"
    source = next((root / "fuzz").rglob(f"{name}.cpp"))
    seeds = root / "fuzz/corpus" / source.relative_to(root / "fuzz").with_suffix("")
    found, log = build / "corpus" / name, build / f"{name}.log"
    found.mkdir(parents=True, exist_ok=True)
    seeds.mkdir(parents=True, exist_ok=True)
    binary = build / f"fuzz_{name}"
    options = ["-timeout=60", "-rss_limit_mb=1024", "-malloc_limit_mb=256", "-print_final_stats=1", f"-artifact_prefix={build}/{name}-"]
    if source.with_suffix(".dict").exists():
        options.append(f"-dict={source.with_suffix('.dict')}")
    executions, edges, used = 0, 0, 0.0
    while used < seconds:
        span = max(1, min(SLICE_SECONDS, round(seconds - used)))
        status, cpu, output = run_once([binary, f"-max_total_time={span}", *options, found, seeds], log)
        used += cpu
        executions += last_number(r"^stat::number_of_executed_units: *(\d+)", output)
        edges = max(edges, last_number(r" cov: (\d+) ", output))
        if status != 0:
            return False, f"{name:<24} {executions:>14} {edges:>10} {used:>12.0f} FAILED, see {log}"
    if keep:
        subprocess.run([binary, "-merge=1", seeds, found], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return True, f"{name:<24} {executions:>14} {edges:>10} {used:>12.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    print(f"{'target':<24} {'executions':>14} {'edges':>10} {'cpu seconds':>12}", flush=True)
    all_fine = True
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = [pool.submit(fuzz, given.root, name, given.minutes * 60, given.keep) for name in given.targets]
        for run in concurrent.futures.as_completed(runs):
            fine, line = run.result()
            all_fine = all_fine and fine
            print(line, flush=True)
    sys.exit(0 if all_fine else 1)


if __name__ == "__main__":
    main()
