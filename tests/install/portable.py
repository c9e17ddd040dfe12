"""portable.py READELF COMMAND [--glibc VERSION]: the command needs no shared library except those of every Linux with glibc, and with --glibc it runs with that version of glibc."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hygiene"))
from sources import close

EVERYWHERE = re.compile(r"(libc|libm|libgcc_s|ld-linux-[a-z0-9-]+)\.so\.\d+")
PLANTED = """
 0x0000000000000001 (NEEDED)             Shared library: [libgrpc++.so.1.51]
  0x0090:   Name: GLIBC_2.9  Flags: none  Version: 5
  0x00a0:   Name: GLIBC_2.36  Flags: none  Version: 4
  0x00b0:   Name: GLIBC_ABI_DT_RELR  Flags: none  Version: 3
"""


def numbers(version):
    return [int(part) for part in version.split(".")]


def faults_of(text, newest):
    for library in re.findall(r"\(NEEDED\) +Shared library: \[([^\]]+)\]", text):
        if not EVERYWHERE.fullmatch(library):
            yield f"needs {library}, which a bare system does not have"
    if newest:
        versions = set(re.findall(r"Name: GLIBC_([0-9.]+) ", text))
        yield from (f"needs glibc {version}" for version in sorted(versions, key=numbers) if numbers(version) > numbers(newest))
        if "GLIBC_ABI_DT_RELR" in text:
            yield "has packed relocations, which the loader reads from glibc 2.36 on"


def main():
    program, command, *rest = sys.argv[1:]
    newest = rest[1] if rest[:1] == ["--glibc"] else None
    planted = list(faults_of(PLANTED, "2.34"))
    text = subprocess.run([program, "-W", "-d", "-V", command], env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, check=True).stdout
    faults = [f"the check finds {planted}, not all that is wrong"] * (len(planted) != 3)
    faults += [f"{command}: there is no libc among what it needs"] * ("[libc.so.6]" not in text)
    faults += [f"{command} {fault}" for fault in faults_of(text, newest)]
    if newest and not faults:
        highest = max(re.findall(r"Name: GLIBC_([0-9.]+) ", text), key=numbers)
        needed = re.findall(r"\(NEEDED\) +Shared library: \[([^\]]+)\]", text)
        print(f"needs glibc {highest} of {', '.join(needed)}")
    close(1, faults)


main()
