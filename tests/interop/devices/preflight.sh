#!/bin/sh
# Compares `rollcall preflight --format json` with nvidia-smi on a machine with NVIDIA GPUs, and prints a transcript. Needs python3.
# usage: tests/interop/devices/preflight.sh [ROLLCALL]; exit code 0: both say the same
rollcall=${1:-rollcall}
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
fields=index,uuid,pci.bus_id,name,driver_version,memory.used,temperature.gpu,persistence_mode,compute_mode,mig.mode.current,ecc.mode.current
fields=$fields,ecc.errors.uncorrected.volatile.total,pcie.link.width.current,pcie.link.width.max,pcie.link.gen.max
show() { printf '$ %s\n' "$*"; "$@"; printf 'exit code %d\n' $?; }

show nvidia-smi -L
show nvidia-smi "--query-gpu=$fields" --format=csv
show "$rollcall" preflight
show "$rollcall" preflight --checks gpu,accelerators,driver,in_use
show "$rollcall" preflight --checks gpu --no-nvml
show "$rollcall" preflight --checks expect:accelerators=999,expect:driver=1
show "$rollcall" preflight --checks kernel,disk:/=1M,mount:/,shm=1K,nofile=16,port:29500
echo "\$ time of $rollcall preflight, three runs"
for run in 1 2 3; do
  begin=$(date +%s%N)
  "$rollcall" preflight --checks gpu >"$folder/out" 2>&1
  echo "run $run: exit code $?, $(( ($(date +%s%N) - begin) / 1000000 )) ms"
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  show setpriv --reuid 65534 --clear-groups "$rollcall" preflight --checks gpu,accelerators,driver
fi

"$rollcall" preflight --format json >"$folder/ours.json"
echo "exit code of the document: $?"
nvidia-smi "--query-gpu=$fields" --format=csv,noheader,nounits >"$folder/theirs.csv" || exit 2
python3 - "$folder/ours.json" "$folder/theirs.csv" "$fields" <<'PYTHON'
import csv
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    ours = json.load(file)
names = sys.argv[3].split(",")
with open(sys.argv[2], encoding="utf-8") as file:
    theirs = [dict(zip(names, (cell.strip() for cell in row))) for row in csv.reader(file) if row]
faults = []
compared = 0


def compare(what, mine, other):
    global compared
    compared += 1
    print(f"{'same  ' if mine == other else 'DIFFER'}  {what}: {mine} | {other}")
    if mine != other:
        faults.append(what)


def on_off(gpu, name):
    value = gpu["values"].get(name)
    return None if value is None else "Enabled" if value else "Disabled"


def known(text):
    return None if text in ("[N/A]", "[Not Supported]", "N/A", "Not Supported") else text


host = ours["host"]
facts = {fact["name"]: fact["value"] for fact in host["facts"]}
gpus = {gpu["uuid"]: gpu for gpu in host["gpus"]}
compare("count", len(gpus), len(theirs))
compare("driver", facts.get("driver"), theirs[0]["driver_version"])
has_mig = any(known(row["mig.mode.current"]) == "Enabled" for row in theirs)
if not has_mig:  # with MIG its instances count
    compare("accelerators", facts.get("accelerators"), str(len(theirs)))
for row in theirs:
    gpu = gpus.get(row["uuid"])
    if gpu is None:
        faults.append(row["uuid"])
        print(f"DIFFER  {row['uuid']} is missing")
        continue
    values = gpu["values"]
    prefix = f"gpu {row['index']} "
    compare(prefix + "index", str(gpu["index"]), row["index"])
    compare(prefix + "pci", gpu["bus"].lower(), row["pci.bus_id"].lower().removeprefix("0000") if len(row["pci.bus_id"]) > 12 else row["pci.bus_id"].lower())
    compare(prefix + "name", gpu["name"], row["name"])
    compare(prefix + "persistence", on_off(gpu, "persistence"), known(row["persistence_mode"]))
    compare(prefix + "ecc", on_off(gpu, "ecc_mode"), known(row["ecc.mode.current"]))
    compare(prefix + "mig", on_off(gpu, "mig_mode"), known(row["mig.mode.current"]))
    compare(prefix + "compute mode", {0: "Default", 2: "Prohibited", 3: "Exclusive_Process"}.get(values.get("compute_mode")), row["compute_mode"])
    for name, other in (("ecc_volatile_uncorrected", "ecc.errors.uncorrected.volatile.total"), ("pcie_width", "pcie.link.width.current"),
                        ("pcie_width_max", "pcie.link.width.max"), ("pcie_generation_max", "pcie.link.gen.max")):
        mine = values.get(name)
        compare(prefix + name, None if mine is None else str(mine), known(row[other]))
    # These change between two questions.
    for name, mine, other, range_ in (("temperature", values.get("temperature"), known(row["temperature.gpu"]), 5),
                                      ("memory_used MiB", values.get("memory_used", 0) >> 20, known(row["memory.used"]), 64)):
        near = mine is not None and other is not None and abs(mine - float(other)) <= range_
        compared += 1
        print(f"{'near  ' if near else 'DIFFER'}  {prefix}{name}: {mine} | {other}")
        if not near:
            faults.append(name)
    print(f"values  {prefix}{json.dumps(values, sort_keys=True)}")
for finding in ours["findings"]:
    print(f"finding {finding['severity']}: {finding['text']}")
for unknown in ours["unknown"]:
    print(f"unknown {unknown['check']}: {unknown['why']}")
print(f"{compared} compared, {len(faults)} differ{': ' if faults else ''}{', '.join(faults)}")
sys.exit(1 if faults else 0)
PYTHON
