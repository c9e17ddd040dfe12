"""sbom.py VERSION COMMIT BUILDS FILE…: prints an SPDX 2.3 document (JSON) of a release: its files with their digests, what was linked or compiled into
the commands in BUILDS, of scripts/package for each machine, and which packages an image among the files has. Times are SOURCE_DATE_EPOCH. A licence is one of SPDX's list where
Debian's copyright file names one, or else a reference to that file's whole text, which the document has. What is not known is NOASSERTION.
"""
import datetime
import hashlib
import io
import json
import os
import pathlib
import re
import sys
import tarfile

from components import DOC, in_command, licence_of

CONTAINING = re.compile(r"\.deb$|\.whl$|-linux-[^/]*\.tar\.gz$|-image-[^/]*\.tar$")  # the files that have the command
# By Debian's architecture: the folder in BUILDS, and the other name of the machine in names of files.
MACHINES = {"amd64": ("package", "x86_64"), "arm64": ("package-arm64", "aarch64")}
WAYS = {"linked": "archives or objects of it were linked into the command", "headers": "headers of it were compiled into the command",
        "image": "files of it are in the image"}


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def command_of(architecture):
    return identifier("command", architecture)


def machine_of(name):
    """The architecture whose command the file of this name contains."""
    (found,) = [architecture for architecture, (_, processor) in MACHINES.items() if re.search(rf"[-_]({architecture}|{processor})\.", name)]
    return found


def debian_identity(package):
    return identifier("debian", f"{package['name']}-{package['architecture']}")


def text_reference(package):
    return "LicenseRef-Debian-" + re.sub(r"[^A-Za-z0-9.-]", "-", package["name"])


def component_entry(package, copyright_text, ways):
    licence, others = licence_of(copyright_text)
    comment = f"Declared is what Debian's copyright file says of {'most files' if licence else 'all'}."
    if others:
        comment += " Names of licences of some of its files there: " + "; ".join(others) + "."
    purl = f"pkg:deb/debian/{package['name'].replace('+', '%2B')}@{package['version'].replace(':', '%3A').replace('+', '%2B')}?arch={package['architecture']}"
    return {"SPDXID": debian_identity(package), "name": package["name"], "versionInfo": package["version"], "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "supplier": "Organization: Debian", "licenseDeclared": licence or text_reference(package), "licenseConcluded": "NOASSERTION",
            "licenseComments": comment, "copyrightText": "NOASSERTION",
            "sourceInfo": f"built by Debian from its source package {package['source']} {package['source_version']}",
            "comment": "; ".join(WAYS[way] for way in ways),
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]}


def own_entry(identity, name, version, **more):
    return {"SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseDeclared": "Apache-2.0", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def packages_of_image(path):
    """(package, copyright text) of each Debian package that the image names."""
    with tarfile.open(path) as image:
        def blob(descriptor):
            return image.extractfile("blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")).read()

        index = json.load(image.extractfile("index.json"))
        manifest = json.loads(blob(index["manifests"][0]))
        with tarfile.open(fileobj=io.BytesIO(blob(manifest["layers"][0]))) as layer:
            for name in sorted(layer.getnames()):
                if not name.startswith("var/lib/dpkg/status.d/"):
                    continue
                control = dict(re.findall(r"^([A-Z][A-Za-z-]*): (.*)$", layer.extractfile(name).read().decode(), re.M))
                source = re.fullmatch(r"(\S+)(?: \((\S+)\))?", control.get("Source", control["Package"]))
                text = layer.extractfile(f"usr/share/doc/{control['Package']}/copyright").read().decode()
                yield {"name": control["Package"], "version": control["Version"], "architecture": control["Architecture"], "source": source[1],
                       "source_version": source[2] or control["Version"]}, text


def related(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(version, commit, components, files, time):
    """`components` maps an architecture to what components.in_command() says of its command."""
    packages, relations, ways, texts = {}, [], {}, {}

    def add(package, text, way):
        identity = debian_identity(package)
        ways.setdefault(identity, []).append(way)
        entry = component_entry(package, text, ways[identity])
        if identity in packages and packages[identity]["versionInfo"] != package["version"]:
            raise SystemExit(f"sbom: {package['name']} is of two versions, {packages[identity]['versionInfo']} and {package['version']}")
        packages[identity] = entry
        if entry["licenseDeclared"] == text_reference(package):
            texts[text_reference(package)] = text
        return identity

    for architecture, found in components.items():
        command = command_of(architecture)
        packages[command] = own_entry(command, "rollcall", version, sourceInfo=f"built from commit {commit} for {architecture}", primaryPackagePurpose="APPLICATION")
        for package, way in found:
            text = (DOC / package["name"] / "copyright").read_text(encoding="utf-8", errors="replace")
            relations.append(related(command, "STATIC_LINK" if way == "linked" else "CONTAINS", add(package, text, way)))
    for path in files:
        identity = identifier("file", path.name)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        packages[identity] = own_entry(identity, path.name, version, packageFileName=path.name, checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
        relations.append(related("SPDXRef-DOCUMENT", "DESCRIBES", identity))
        if CONTAINING.search(path.name) and not path.name.startswith("librollcall"):
            relations.append(related(identity, "CONTAINS", command_of(machine_of(path.name))))
        if "-image-" in path.name:
            relations += [related(identity, "CONTAINS", add(package, text, "image")) for package, text in packages_of_image(path)]
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"rollcall-{version}",
            "documentNamespace": f"https://rollcall.invalid/spdx/rollcall-{version}-{commit}",
            "creationInfo": {"created": created, "creators": ["Tool: rollcall-scripts-release"]},
            "packages": [packages[key] for key in sorted(packages)],
            "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": texts[name]} for name in sorted(texts)],
            "relationships": sorted(relations, key=lambda one: tuple(one.values()))}


def main():
    if len(sys.argv) < 5:
        sys.exit("usage: sbom.py VERSION COMMIT BUILDS FILE…")
    version, commit, builds, *files = sys.argv[1:]
    components = {architecture: in_command(pathlib.Path(builds) / folder, architecture) for architecture, (folder, _) in MACHINES.items()}
    made = document(version, commit, components, sorted(pathlib.Path(file) for file in files), int(os.environ["SOURCE_DATE_EPOCH"]))
    print(json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main()
