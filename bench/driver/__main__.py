"""bench/driver: runs benches, prints the table, writes JSON and the page. scripts/bench builds what it needs and starts it."""
import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import time

import benches
import page
import pictures
import table
from contenders import ROOT, say
from row import Row


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="ascii", errors="replace") if line.startswith("model name")), platform.machine())
    with open("/proc/loadavg", encoding="ascii") as load:
        busy = load.read().split()[0]
    return {"processor": model, "cores": os.cpu_count(), "kernel": platform.release(), "load_at_start": float(busy)}


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures the library and the command beside the floor under them and beside what else one could take.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which benches, without any all: {', '.join(benches.ALL)}")
    parser.add_argument("--peers", action="store_true", help="beside TensorFlow, Google's and Kubernetes' clients, Go, aiohttp: sets them up in build/peers")
    parser.add_argument("--quick", action="store_true", help="few rounds of little work: proves that the benches work; its times mean nothing")
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/performance.md has it")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench", help="the folder of bench.json, bench.html and pictures, by default build/bench")
    setting = parser.parse_args()
    unknown = [name for name in setting.names if name not in benches.ALL]
    if unknown:
        parser.error(f"no bench is called {', '.join(unknown)}; there are {', '.join(benches.ALL)}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))

    started = time.monotonic()
    about = {**machine(), "date": datetime.date.today().isoformat(), "commit": commit(), "quick": setting.quick, "peers": setting.peers}
    about["command"] = " ".join(["./scripts/bench", *setting.names, *(["--peers"] if setting.peers else []), *(["--quick"] if setting.quick else [])])
    rows, curves, broken = [], [], []
    for name in setting.names or benches.ALL:
        begun = time.monotonic()
        say(f"== {name}")
        try:
            for one in benches.ALL[name](setting):
                (rows if isinstance(one, Row) else curves).append(one)
        except (OSError, KeyError, ValueError) as error:
            broken.append(f"{name}: {type(error).__name__}: {error}")
        say(f"== {name} took {time.monotonic() - begun:.0f} s")
    about["seconds"] = round(time.monotonic() - started)
    # What is not here is said, and no fault; nor is a peer's failure ours.
    broken += [f"{row.title}: {one.name}: {one.note}" for row in rows for one in row.series if one.note and one.kind != "peer" and not one.note.startswith("needs ")]
    if setting.quick:
        for row in rows:
            row.targets = []  # times under this build are meaningless

    setting.out.mkdir(parents=True, exist_ok=True)
    document = {"about": about, "rows": [row.as_json() for row in rows], "curves": [dataclasses.asdict(one) for one in curves]}
    (setting.out / "bench.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (setting.out / "bench.html").write_text(page.html(about, rows, curves), encoding="utf-8")
    (setting.out / "pictures").mkdir(exist_ok=True)
    for name, picture in pictures.pictures(rows, curves).items():
        (setting.out / "pictures" / f"{name}.svg").write_text(picture, encoding="utf-8")
    print(table.markdown(about, rows) if setting.markdown else table.text(rows))
    say(f"{setting.out / 'bench.json'}, {setting.out / 'bench.html'}: {about['seconds']} s")
    for one in broken:
        say(f"FAILED: {one}")
    return 1 if broken else 0


sys.exit(main())
