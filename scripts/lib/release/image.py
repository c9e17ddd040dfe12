"""image.py TARBALL DEBS OUT: makes an image of the command alone as an OCI layout in one tar file, by no container engine: the command and its notices
from the tarball of scripts/package, the C library and the trust anchors from the Debian packages in the folder DEBS, and no shell. The same input
gives the same bytes; times are SOURCE_DATE_EPOCH. The environment's ROLLCALL_REVISION is the commit that the image names.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from archive import gzipped, tar_of, with_folders

# By the machine's name in the tarball: the platform of OCI, Debian's folder of libraries, the loader.
MACHINES = {"x86_64": ("amd64", "x86_64-linux-gnu", "lib64/ld-linux-x86-64.so.2"), "aarch64": ("arm64", "aarch64-linux-gnu", "lib/ld-linux-aarch64.so.1")}
USER = "65532:65532"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def output_of(*command, stdin=None):
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def needed_libraries(program):
    text = output_of("readelf", "-d", program).decode()
    return [name for name in re.findall(r"\(NEEDED\) +Shared library: \[([^\]]+)\]", text) if not name.startswith("ld-linux")]


def trust_anchors(folder):
    """The certificates under the hashes of their subjects, as OpenSSL looks for them, and all as one file."""
    entries, bundle = {}, b""
    for path in sorted(folder.glob("*.crt")):
        text = path.read_bytes()
        name = output_of("openssl", "x509", "-noout", "-subject_hash", stdin=text).decode().strip()
        number = next(n for n in range(100) if f"etc/ssl/certs/{name}.{n}" not in entries)
        entries[f"etc/ssl/certs/{name}.{number}"] = (text, 0o644)
        bundle += text if text.endswith(b"\n") else text + b"\n"
    if len(entries) < 50:
        sys.exit(f"image: {len(entries)} certificates in ca-certificates, where there should be over a hundred")
    return {**entries, "etc/ssl/certs/ca-certificates.crt": (bundle, 0o644)}


def known_packages(debs):
    """What the packages say of themselves, where programs that look for known holes read it in an image without dpkg."""
    said = [output_of("dpkg-deb", "-f", path) for path in sorted(debs.glob("*.deb"))]
    return {f"var/lib/dpkg/status.d/{re.search(rb'^Package: (.+)$', text, re.M)[1].decode()}": (text, 0o644) for text in said}


def layer_of(tarball, debs, machine, work):
    _, libraries, loader = MACHINES[machine]
    root = work / "debian"
    for path in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", path, root], check=True)
    entries = {"tmp": (None, 0o1777), **trust_anchors(root / "usr/share/ca-certificates/mozilla"), **known_packages(debs)}
    entries["etc/os-release"] = ((root / "usr/lib/os-release").read_bytes(), 0o644)
    with tarfile.open(tarball) as tar:
        for member in tar.getmembers():
            name = member.name.split("/", 1)[-1]
            if member.isfile() and (name == "bin/rollcall" or name.startswith("share/doc/rollcall/")):
                entries[f"usr/{name}"] = (tar.extractfile(member).read(), 0o755 if name.startswith("bin/") else 0o644)
    if "usr/bin/rollcall" not in entries:
        sys.exit(f"image: there is no bin/rollcall in {tarball}")
    (work / "rollcall").write_bytes(entries["usr/bin/rollcall"][0])
    wanted = [loader, *(f"lib/{libraries}/{name}" for name in needed_libraries(work / "rollcall"))]
    for name in wanted:
        found = root / name
        if name == loader:
            found = root / f"lib/{libraries}" / pathlib.Path(loader).name
        if not found.is_file():
            sys.exit(f"image: the command needs /{name}, which none of the packages in {debs} has")
        entries[name] = (found.read_bytes(), 0o755)
    for name in [name.rpartition("/")[2] for name in entries if name.startswith("var/lib/dpkg/status.d/")]:
        path = f"usr/share/doc/{name}/copyright"  # the folder may be a link to another package's
        if not (root / path).is_file():
            sys.exit(f"image: there is no /{path} in the packages in {debs}")
        entries[path] = ((root / path).read_bytes(), 0o644)
    return with_folders(entries)


class Layout:
    """The files of an OCI layout; blobs are named by their content."""

    def __init__(self):
        self.entries = {"oci-layout": (b'{"imageLayoutVersion":"1.0.0"}', 0o644)}

    def blob(self, content, kind, **more):
        if not isinstance(content, bytes):
            content = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        digest = hashlib.sha256(content).hexdigest()
        self.entries[f"blobs/sha256/{digest}"] = (content, 0o644)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content), **more}


def layout_of(entries, machine, version, revision, time):
    layer, layout = tar_of(entries, time), Layout()
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.title": "rollcall", "org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0"}
    if revision:
        labels["org.opencontainers.image.revision"] = revision
    platform = {"architecture": MACHINES[machine][0], "os": "linux"}
    config = {**platform, "created": created, "config": {"User": USER, "Entrypoint": ["/usr/bin/rollcall"], "Labels": labels},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
              "history": [{"created": created, "created_by": "scripts/image"}]}
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": layout.blob(config, "application/vnd.oci.image.config.v1+json"),
                "layers": [layout.blob(gzipped(layer), "application/vnd.oci.image.layer.v1.tar+gzip")], "annotations": labels}
    named = layout.blob(manifest, MANIFEST, platform=platform, annotations={"org.opencontainers.image.ref.name": version})
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}
    layout.entries["index.json"] = (json.dumps(index, sort_keys=True, separators=(",", ":")).encode(), 0o644)
    return with_folders(layout.entries), named["digest"]


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: image.py TARBALL DEBS OUT")
    tarball, debs, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    found = re.fullmatch(r"rollcall-(\d+\.\d+\.\d+)-linux-(\w+)\.tar\.gz", tarball.name)
    if not found or found[2] not in MACHINES:
        sys.exit(f"image: {tarball.name} is not named as scripts/package names its tarballs: rollcall-VERSION-linux-MACHINE.tar.gz")
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    with tempfile.TemporaryDirectory() as work:
        entries = layer_of(tarball, debs, found[2], pathlib.Path(work))
    layout, digest = layout_of(entries, found[2], found[1], os.environ.get("ROLLCALL_REVISION"), time)
    out.write_bytes(tar_of(layout, time))
    print(digest)


if __name__ == "__main__":
    main()
