"""The Debian packages whose files are in a built command, by what the linker and the compiler wrote down, with versions and licences."""
import pathlib
import re
import subprocess

DOC = pathlib.Path("/usr/share/doc")
# Names of licences in Debian's machine-readable copyright files that mean one licence of SPDX's list. Of all other names none is guessed.
SPDX = {name.lower(): name for name in ("Apache-2.0", "MIT", "ISC", "Zlib", "BSL-1.0", "MPL-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0")}
SPDX.update({"expat": "MIT", "apache-2": "Apache-2.0", "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later",
             "lgpl-2.1+": "LGPL-2.1-or-later"})
# Headers that declare what the shared C library has.
DECLARATIONS = {"libc6-dev", "linux-libc-dev", "libc6-dev-arm64-cross", "linux-libc-dev-arm64-cross"}


def linked_files(link_map):
    """Archives and objects of the linker's map from which something was taken: GNU ld lists included members, LLD the sections of each."""
    by_section = re.findall(r" (/\S+\.[ao])(?:\([^()]*\))?:\(", link_map) if link_map.lstrip().startswith("VMA") else []
    members, _, rest = link_map.partition("\nDiscarded input sections")
    archives = re.findall(r"^(/\S+\.a)\(", members, re.M)
    objects = re.findall(r"^LOAD (/\S+\.o)$", rest, re.M)
    return sorted({*by_section, *archives, *objects})


def header_files(ninja_deps):
    return sorted(set(re.findall(r"^    (/usr/\S+)$", ninja_deps, re.M)))


def owners_of(paths):
    """Maps names of packages, without architecture, to one of the paths that they have. Fails where none has a path."""
    owners = {}
    for path in sorted({str(pathlib.Path(path).resolve()) for path in paths}):
        package = owner_of(path)
        if not package:
            raise SystemExit(f"sbom: {path} is in the command, and in no Debian package, so that its version and licence are not known")
        owners.setdefault(package, path)
    return owners


def owner_of(path, cache={}):
    if not cache:  # all lists are read once: dpkg -S reads all of them for each question
        for listed in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
            package = listed.stem.split(":")[0]
            for line in listed.read_text(encoding="utf-8", errors="replace").splitlines():
                cache[line] = package
    for spelled in (path, path.removeprefix("/usr")):
        if spelled in cache:
            return cache[spelled]
    return None


def installed(package, architecture):
    """Version, source package, its version and architecture of a package that is installed for the given one."""
    form = "${Version}\\t${source:Package}\\t${source:Version}\\t${Architecture}\\n"
    lines = subprocess.run(["dpkg-query", "-W", "-f", form, package], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return of_architecture(package, lines, architecture)


def of_architecture(package, lines, architecture):
    for line in lines:
        version, source, source_version, own = line.split("\t")
        if own in (architecture, "all"):
            return {"name": package, "version": version, "source": source, "source_version": source_version, "architecture": own}
    raise SystemExit(f"sbom: {package} is not installed for {architecture}")


def licence_of(copyright_text):
    """What a machine-readable copyright file says of `Files: *` in SPDX's words, or None; and the names of all other licences that it has."""
    if not re.match(r"Format: *https?://www\.debian\.org/doc/packaging-manuals/copyright-format/1\.0", copyright_text):
        return None, []
    main, others = None, set()
    for stanza in re.split(r"\n[ \t]*\n", copyright_text):
        files = re.search(r"^Files:((?:.*\n)(?:[ \t].*\n)*)", stanza + "\n", re.M)
        name = re.search(r"^License: *(.+)$", stanza, re.M)
        if not files or not name:
            continue
        if files[1].split() == ["*"]:
            main = name[1].strip()
        elif not all(pattern.startswith("debian/") for pattern in files[1].split()):
            others.add(name[1].strip())
    if main is None:
        return None, sorted(others)
    known = SPDX.get(main.lower())
    return known, sorted((others | (set() if known else {main})) - {main if known else None})


def in_command(build, architecture, ninja="ninja"):
    """The packages in the command of a build folder, which is for this architecture of Debian: (package, "linked" or "headers")."""
    link_map = (build / "linked.map").read_text(encoding="utf-8", errors="replace")
    own = str(build.resolve())
    linked = owners_of(path for path in linked_files(link_map) if not path.startswith(own))
    deps = subprocess.run([ninja, "-C", build, "-t", "deps"], stdout=subprocess.PIPE, text=True, check=True).stdout
    headers = owners_of(header_files(deps)).keys() - linked.keys() - DECLARATIONS
    if len(linked) < 5 or not headers:
        raise SystemExit(f"sbom: {build} says that {len(linked)} packages were linked and {len(headers)} included, which cannot be all")
    return [(installed(name, architecture), way) for names, way in ((linked, "linked"), (headers, "headers")) for name in sorted(names)]
