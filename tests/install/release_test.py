"""release_test.py: the parts of scripts/release that need no build: the version wherever the tree says it, notes, archives, image, chart, list of parts."""
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/release"), str(pathlib.Path(__file__).resolve().parents[1] / "hygiene")]
import archive
import components
import image
import notes
import sbom
import version
from sources import ROOT, close

TIME = 1_700_000_000
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: {name}

Files: *
Copyright: 2020 A. N. Author
License: {licence}

Files: contrib/*
 tools/*
Copyright: 2021 Another
License: Special

Files: debian/*
Copyright: 2022 A Maintainer
License: GPL-2+
"""
MAP = """Archive member included to satisfy reference by file (symbol)

librollcall.a(call.cpp.o)     main.cpp.o (rollcall::call())
/usr/lib/x86_64-linux-gnu/libssl.a(ssl_lib.o)
                              librollcall.a(tls.cpp.o) (SSL_new)
/usr/lib/x86_64-linux-gnu/libz.a(inflate.o) librollcall.a(gzip.cpp.o) (inflate)

Discarded input sections
 .text 0x0 /usr/lib/x86_64-linux-gnu/libdiscarded.a(x.o)

LOAD /usr/lib/x86_64-linux-gnu/Scrt1.o
LOAD main.cpp.o
LOAD /usr/lib/x86_64-linux-gnu/libunused.a
"""
MAP_OF_LLD = """             VMA              LMA     Size Align Out     In      Symbol
             2fc              2fc       20     4 .note.ABI-tag
             2fc              2fc       20     4         /usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/Scrt1.o:(.note.ABI-tag)
             400              400       20     4         librollcall.a(call.cpp.o):(.text)
             420              420       20     4         /usr/lib/x86_64-linux-gnu/libssl.a(ssl_lib.o):(.text.SSL_new)
             440              440       20     1                 /usr/lib/no_section.a
"""


def own_version():
    return version.re.search(version.PLACES[0][1], (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), version.re.M)[1]


def copied_tree(folder):
    for name in {"CHANGELOG.md", *(name for name, _ in version.PLACES)}:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def test_the_tree_says_one_version():
    others = [fault for fault in version.faults(ROOT, own_version()) if not fault.startswith("CHANGELOG.md")]
    assert not others, others


def test_a_version_is_prepared_everywhere(folder):
    copied_tree(folder)
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing ([page](docs/page.md#part)), [x.md](x.md), [web](https://example.com).\n\n"
                                         "## [0.0.1] - 2020-01-01\n\n- Old.\n", encoding="utf-8")
    assert any("has no section" in fault for fault in version.faults(folder, "7.8.9"))
    version.prepare(folder, "7.8.9", "2030-02-03")
    assert not list(version.faults(folder, "7.8.9")), list(version.faults(folder, "7.8.9"))
    assert "find_package(rollcall 7.8 " in (folder / "examples/installed/CMakeLists.txt").read_text(encoding="utf-8")
    text = notes.notes_of((folder / "CHANGELOG.md").read_text(encoding="utf-8"), "7.8.9")
    assert text.startswith("# Rollcall 7.8.9\n\nReleased on 2030-02-03.") and "Old" not in text, text
    assert "- A thing (page (docs/page.md)), x.md, [web](https://example.com)." in text, text
    python = folder / "python/src/rollcall_cluster/__init__.py"
    python.write_text(python.read_text(encoding="utf-8").replace("7.8.9", "7.8.8"), encoding="utf-8")
    assert list(version.faults(folder, "7.8.9")) == ["python/src/rollcall_cluster/__init__.py says 7.8.8, not 7.8.9"]
    assert list(version.faults(folder, "7.8")) == ["'7.8' is no version: it has the form 1.2.3"]


def test_an_empty_section_is_refused(folder):
    copied_tree(folder)
    (folder / "CHANGELOG.md").write_text(f"## [Unreleased]\n\n## [{own_version()}] - 2030-02-03\n\n### Added\n", encoding="utf-8")
    assert list(version.faults(folder, own_version())) == [f'CHANGELOG.md says nothing below "## [{own_version()}] - 2030-02-03"']


def test_archives_are_the_same_bytes_each_time(folder):
    for name in ("b/program", "a", "b/c/d"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "b/program").chmod(0o750)
    one = archive.gzipped(archive.tar_of(archive.of_folder(folder, "p"), TIME))
    os.utime(folder / "a", (1, 1))
    (folder / "a").chmod(0o600)
    assert one == archive.gzipped(archive.tar_of(archive.of_folder(folder, "p"), TIME))
    with tarfile.open(fileobj=io.BytesIO(one)) as tar:
        seen = [(member.name, member.mode, member.mtime, member.uid, member.uname) for member in tar.getmembers()]
    assert seen == [("p", 0o755, TIME, 0, ""), ("p/a", 0o644, TIME, 0, ""), ("p/b", 0o755, TIME, 0, ""), ("p/b/c", 0o755, TIME, 0, ""), ("p/b/c/d", 0o644, TIME, 0, ""),
                    ("p/b/program", 0o755, TIME, 0, "")], seen


def test_a_chart_is_packed_without_what_it_ignores(folder):
    chart = folder / "chart"
    for name, text in (("Chart.yaml", 'name: sample\nversion: "1.2.3"\n'), ("templates/a.yaml", "a: 1\n"), ("notes~", "x"), (".helmignore", "# editors\n*~\nci/\n"), ("ci/x", "x")):
        (chart / name).parent.mkdir(parents=True, exist_ok=True)
        (chart / name).write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, ROOT / "scripts/lib/release/chart.py", chart, folder], check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})
    with tarfile.open(folder / "sample-1.2.3.tgz") as tar:
        assert tar.getnames() == ["sample/.helmignore", "sample/Chart.yaml", "sample/templates/a.yaml"], tar.getnames()


def image_file(folder):
    entries = archive.with_folders({"usr/bin/rollcall": (b"program", 0o755), "usr/share/doc/libc6/copyright": (b"All of it.\n", 0o644),
                                    "var/lib/dpkg/status.d/libc6": (b"Package: libc6\nSource: glibc (2.0)\nVersion: 2.0-1\nArchitecture: amd64\n", 0o644)})
    layout, digest = image.layout_of(entries, "x86_64", "1.2.3", "c0ffee", TIME)
    (folder / "rollcall-1.2.3-image-x86_64.tar").write_bytes(archive.tar_of(layout, TIME))
    return layout, digest


def test_an_image_is_an_oci_layout(folder):
    layout, digest = image_file(folder)
    blobs = {name.removeprefix("blobs/sha256/"): content for name, (content, _) in layout.items() if name.startswith("blobs/sha256/")}
    assert all(hashlib.sha256(content).hexdigest() == name for name, content in blobs.items())

    def read(descriptor):
        content = blobs[descriptor["digest"].removeprefix("sha256:")]
        assert len(content) == descriptor["size"]
        return content

    index = json.loads(layout["index.json"][0])
    assert [one["digest"] for one in index["manifests"]] == [digest]
    manifest = json.loads(read(index["manifests"][0]))
    config, layer = json.loads(read(manifest["config"])), archive.gzip.decompress(read(manifest["layers"][0]))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert config["architecture"] == "amd64" and config["created"] == "2023-11-14T22:13:20Z" and config["config"]["User"] == "65532:65532"
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        assert tar.getmember("usr/bin/rollcall").mode == 0o755


def test_what_was_linked_is_read_from_the_map():
    assert components.linked_files(MAP) == [f"/usr/lib/x86_64-linux-gnu/{name}" for name in ("Scrt1.o", "libssl.a", "libz.a")]
    assert components.linked_files(MAP_OF_LLD) == ["/usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/Scrt1.o", "/usr/lib/x86_64-linux-gnu/libssl.a"]
    assert components.header_files("a.o: #deps 3, deps mtime 1 (VALID)\n    /usr/include/zlib.h\n    ../src/a.cpp\n    /usr/include/zlib.h\n\n") == ["/usr/include/zlib.h"]


def test_a_package_is_of_the_architecture_of_the_command():
    lines = ["1-1\ts\t1\tamd64", "1-1+b1\ts\t1\tarm64"]
    assert components.of_architecture("x", lines, "arm64")["version"] == "1-1+b1"
    assert components.of_architecture("x", ["1-2\ts\t1\tall"], "arm64")["version"] == "1-2"
    try:
        components.of_architecture("x", lines[:1], "arm64")
    except SystemExit as refusal:
        assert str(refusal) == "sbom: x is not installed for arm64", refusal
    else:
        raise AssertionError("a package of another architecture was taken")


def test_no_licence_is_guessed():
    assert components.licence_of(COPYRIGHT.format(name="x", licence="Expat")) == ("MIT", ["Special"])
    assert components.licence_of(COPYRIGHT.format(name="x", licence="Expat with a change")) == (None, ["Expat with a change", "Special"])
    assert components.licence_of("License: MIT, as somewhere") == (None, [])


def test_the_list_of_parts_is_spdx(folder):
    docs = folder / "doc"
    for name, licence in (("libone-dev", "Zlib"), ("libtwo-dev", "BSD-3-Clause~Own")):
        (docs / name).mkdir(parents=True)
        (docs / name / "copyright").write_text(COPYRIGHT.format(name=name, licence=licence), encoding="utf-8")
    image_file(folder)
    (folder / "rollcall_1.2.3_amd64.deb").write_bytes(b"deb")
    (folder / "rollcall_cluster-1.2.3-py3-none-manylinux_2_34_aarch64.whl").write_bytes(b"wheel")
    found = {architecture: [({"name": name, "version": f"1:1+{architecture}", "source": "s", "source_version": "1", "architecture": architecture}, way)
                            for name, way in (("libone-dev", "linked"), ("libtwo-dev", "headers"))] for architecture in ("amd64", "arm64")}
    sbom.DOC = docs
    made = sbom.document("1.2.3", "c0ffee", found, sorted(path for path in folder.iterdir() if path.is_file()), TIME)
    packages = {one["name"]: one for one in made["packages"] if not one["SPDXID"].endswith("-arm64")}
    assert packages["libone-dev"]["licenseDeclared"] == "Zlib" and packages["libtwo-dev"]["licenseDeclared"] == "LicenseRef-Debian-libtwo-dev"
    assert packages["libc6"]["versionInfo"] == "2.0-1" and "glibc 2.0" in packages["libc6"]["sourceInfo"]
    assert {one["licenseId"] for one in made["hasExtractedLicensingInfos"]} == {"LicenseRef-Debian-libc6", "LicenseRef-Debian-libtwo-dev"}
    assert packages["libone-dev"]["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/libone-dev@1%3A1%2Bamd64?arch=amd64"
    ways = {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"]) for one in made["relationships"]}
    commands = {"amd64": "SPDXRef-command-amd64", "arm64": "SPDXRef-command-arm64"}
    wanted = {(command, way, f"SPDXRef-debian-{name}-{architecture}") for architecture, command in commands.items()
              for way, name in (("STATIC_LINK", "libone-dev"), ("CONTAINS", "libtwo-dev"))}
    wanted |= {(f"SPDXRef-file-{name}", "CONTAINS", command) for name, command in (
        ("rollcall-1.2.3-image-x86-64.tar", commands["amd64"]), ("rollcall-1.2.3-amd64.deb", commands["amd64"]),
        ("rollcall-cluster-1.2.3-py3-none-manylinux-2-34-aarch64.whl", commands["arm64"]))}
    wanted.add(("SPDXRef-file-rollcall-1.2.3-image-x86-64.tar", "CONTAINS", "SPDXRef-debian-libc6-amd64"))
    assert {one for one in ways if one[0] != "SPDXRef-DOCUMENT"} == wanted, ways ^ wanted
    if importlib.util.find_spec("spdx_tools"):
        (folder / "made.spdx.json").write_text(json.dumps(made), encoding="utf-8")
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
        faults = validate_full_spdx_document(parse_file(str(folder / "made.spdx.json")))
        assert not faults, [fault.validation_message for fault in faults]


def test_a_release_is_refused_before_anything_is_built(folder):
    tree, other = folder / "tree", folder / "other"
    copied_tree(tree)
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    (tree / "CHANGELOG.md").write_text("## [Unreleased]\n\n- A thing.\n", encoding="utf-8")
    git = ["git", "-C", tree, "-c", "user.name=n", "-c", "user.email=e@example.com"]

    def commit():
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "State"], check=True)

    def refused(part, *arguments):
        done = subprocess.run([tree / "scripts/release", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1 and part in done.stderr, (part, done)

    subprocess.run(["git", "init", "-q", tree], check=True)
    commit()
    refused("usage:")
    refused("release: --out needs a value", "7.8.9", "--out")
    refused("CMakeLists.txt says " + own_version() + ", not 7.8.9", "7.8.9")
    refused("run scripts/release --prepare 7.8.9", "7.8.9")
    subprocess.run([tree / "scripts/release", "--prepare", "7.8.9"], check=True)
    refused("not committed:\n M CHANGELOG.md", "7.8.9")
    commit()
    refused(f"there is no key {other}.key: minisign -G", "7.8.9", "--key", f"{other}.key")
    pathlib.Path(f"{other}.key").write_text("", encoding="utf-8")
    refused(f"there is no {other}.pub", "7.8.9", "--key", f"{other}.key")
    refused(f"release: {folder} is not empty", "7.8.9", "--out", folder)


def main():
    tests = {name: function for name, function in globals().items() if name.startswith("test_")}
    faults = []
    for name, function in tests.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(*[pathlib.Path(folder)] * function.__code__.co_argcount)
            except AssertionError as failure:
                faults.append(f"{name.replace('_', ' ').removeprefix('test ')}: {str(failure) or 'not so, line ' + str(failure.__traceback__.tb_next.tb_lineno)}")
    close(len(tests), faults)


main()
