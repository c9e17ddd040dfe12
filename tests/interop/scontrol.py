"""scontrol.py PROGRAM COUNT [--transcript FILE]: COUNT generated host lists, expanded and folded by PROGRAM (host_lists.cpp) and by
Slurm's own `scontrol show hostnames` and `show hostlist`. Last line: `N passed, N failed, N skipped`. Exit code 77: no scontrol.

scontrol starts once for hundreds of lists: they are joined by an element `|`, which both programs pass through and never fold. A list that Rollcall refuses is given to scontrol
alone.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

MAX_BYTES = 100_000  # of one argument; Linux takes 128 KiB
NUMBERS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
PREFIXES = ["n", "node", "m", "t02n", "gpu-", "a.b", "rack1-n", "N", "x_", "c-", "cn0", "h9h", "", "e\u00e9"]


def number(rng):
    value = rng.choice([rng.randrange(12), rng.randrange(130), rng.randrange(10_000), rng.randrange(90, 110)])
    return str(value).zfill(rng.choice([0, 0, 0, 2, 3, 5]))


def bracket(rng):
    parts = []
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
        low = number(rng)
        if rng.random() < 0.4:
            parts.append(low)
            continue
        high = int(low) + rng.choice([0, 1, 2, 3, 3, 12])
        parts.append(low + "-" + str(high).zfill(rng.choice([0, len(low), len(low) + 1])))
    return "[" + ",".join(parts) + "]"


def element(rng):
    text = rng.choice(PREFIXES)
    brackets = rng.choice([0, 0, 1, 1, 1, 1, 2, 2, 3])
    if brackets == 0:
        return text + number(rng) + rng.choice(["", "", "", "a", ".local"])
    if brackets == 3:  # otherwise there would be thousands of hosts
        return "".join(rng.choice(["a", "-", "n0", ""]) + f"[{rng.randrange(3)}-{rng.randrange(3, 6)}]" for _ in range(3))
    for i in range(brackets):
        text += bracket(rng) + (rng.choice(["n", "-", "s0", ""]) if i + 1 < brackets else "")
    return text + (rng.choice(["-ib", "a", "5"]) if rng.random() < 0.01 else "")


def host_list(rng):
    if rng.random() < 0.1:  # one family in a row, the case that folding is made for
        base, width = rng.randrange(120), rng.choice([0, 0, 2, 3])
        return ",".join("n" + str(base + i + rng.choice([0, 0, 0, 1, -1]) if base + i > 0 else 0).zfill(width) for i in range(rng.randrange(1, 30)))
    text = ",".join(element(rng) for _ in range(rng.choice([1, 1, 2, 3, 5, 8])))
    if rng.random() < 0.05:
        text = text.replace(",", rng.choice([",,", ", ", " "]), 1) if "[" not in text.split(",")[0] else "," + text
    if rng.random() < 0.04 and text:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "[", "]", "-", ",", " ", "x", "[]"]) + text[at + rng.randrange(2):]
    return text


def is_malformed(text):
    """Unpaired brackets, or brackets with something other than numbers and ranges; or a number of more than 64 bits."""
    groups = re.findall(r"\[([^\[\]]*)\]", text)
    rest = re.sub(r"\[[^\[\]]*\]", "", text)
    return "[" in rest or "]" in rest or any(not NUMBERS.fullmatch(group) for group in groups) or bool(re.search(r"\d{20}", text))


def has_suffix(text):
    return bool(re.search(r"\][^\[\], \t\n]+(?:[, \t\n]|$)", text))


class Slurm:
    def __init__(self, folder):
        path = os.path.join(folder, "slurm.conf")
        with open(path, "w", encoding="ascii") as out:
            out.write("ClusterName=any\nSlurmctldHost=localhost\n")
        self.environment = {"PATH": os.environ["PATH"], "SLURM_CONF": path, "LC_ALL": "C.UTF-8"}
        self.runs = 0

    def show(self, what, text):
        """The lines printed, or None if the list was refused (or scontrol crashed)."""
        self.runs += 1
        run = subprocess.run(["scontrol", "--", "show", what, text], env=self.environment, capture_output=True, text=True, timeout=60)
        if run.returncode < 0 or "Invalid hostlist" in run.stderr or "error:" in run.stderr:
            return None
        return run.stdout.split("\n")[:-1]

    def show_all(self, what, texts):
        batch, size = [], 0
        for text in texts:
            if batch and size + len(text.encode()) > MAX_BYTES:
                yield from self.show_batch(what, batch)
                batch, size = [], 0
            batch.append(text)
            size += len(text.encode()) + 3
        if batch:
            yield from self.show_batch(what, batch)

    def show_batch(self, what, batch):
        lines = self.show(what, ",|,".join(batch)) or None
        if lines is None and len(batch) > 1:
            half = len(batch) // 2
            yield from self.show_batch(what, batch[:half])
            yield from self.show_batch(what, batch[half:])
        elif lines is None:
            yield None
        elif what == "hostlist":
            yield from lines[0].split(",|,")
        else:
            parts = ("\n".join(lines)).split("\n|\n") if len(batch) > 1 else ["\n".join(lines)]
            yield from (part.replace("\n", ",") for part in parts)


def ours(program, verb, texts):
    run = subprocess.run([program], input="".join(f"{verb}\t{text}\n" for text in texts), capture_output=True, text=True, check=True,
                         env={"PATH": os.environ["PATH"], **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}})
    return [line.split("\t", 1) for line in run.stdout.split("\n")[:-1]]


def compare(slurm, program, lists):
    """Counts by kind, and the differences."""
    counts, faults = {}, []

    def count(kind):
        counts[kind] = counts.get(kind, 0) + 1

    answers = ours(program, "expand", lists)
    taken = [(text, result) for text, (verdict, result) in zip(lists, answers) if verdict == "ok" and result]
    plain = [pair for pair in taken if not has_suffix(pair[0])]
    suffixed = [pair for pair in taken if has_suffix(pair[0])]
    for (text, result), theirs in zip(plain, slurm.show_all("hostnames", [text for text, _ in plain])):
        if theirs == result:
            count("expanded alike")
        else:
            faults.append(f"hostnames {text!r}: scontrol {theirs!r}, Rollcall {result!r}")
    for text, result in suffixed:
        theirs = slurm.show("hostnames", text)
        if theirs is None:
            count("a suffix behind a bracket: this scontrol refuses it")
        elif ",".join(theirs) == result:
            count("expanded alike, with a suffix")
        else:
            faults.append(f"hostnames {text!r}: scontrol {theirs!r}, Rollcall {result!r}")
    for text, (verdict, result) in zip(lists, answers):
        if verdict == "ok":
            if not result:
                count("no host")
            continue
        theirs = slurm.show("hostnames", text)
        if theirs is None:
            count("refused alike")
        elif is_malformed(text):
            count("malformed: scontrol makes something of it, Rollcall refuses")
        else:
            faults.append(f"hostnames {text!r}: scontrol {theirs!r}, Rollcall refuses: {result}")
    names = [result for _, result in taken if len(result.encode()) <= MAX_BYTES]
    for hosts, (verdict, result), theirs in zip(names, ours(program, "fold", names), slurm.show_all("hostlist", names)):
        if verdict == "ok" and theirs == result:
            count("folded alike")
        else:
            faults.append(f"hostlist {hosts!r}: scontrol {theirs!r}, Rollcall {result!r}")
    return counts, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--transcript")
    given = parser.parse_args()
    if not shutil.which("scontrol"):
        print("there is no scontrol; Debian's package slurm-client has it\n0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    rng = random.Random(given.seed)
    lists = [host_list(rng) for _ in range(given.count)]
    with tempfile.TemporaryDirectory() as folder:
        slurm = Slurm(folder)
        counts, faults = compare(slurm, given.program, lists)
        version = subprocess.run(["scontrol", "--version"], capture_output=True, text=True, env=slurm.environment).stdout.strip()
    report = [f"{version}; {given.count} lists generated with seed {given.seed}, {slurm.runs} runs of scontrol", ""]
    report += [f"{number:8d}  {kind}" for kind, number in sorted(counts.items())]
    report += [f"{len(faults):8d}  different", *faults[:50]]
    print("\n".join(report))
    if given.transcript:
        with open(given.transcript, "w", encoding="utf-8") as out:
            out.write("# Host lists: Slurm's own tool and Rollcall\n\n```\n" + "\n".join(report) + "\n```\n")
    print(f"{sum(counts.values())} passed, {len(faults)} failed, 0 skipped")
    sys.exit(1 if faults else 0)


main()
