"""chart_files.py: each line of the manifests of examples/fleet stands in the templates of the Helm chart, but for what values decide. Helm itself, and
whether the chart renders more than that, is left to tests/interop/chart/run: where that has a transcript, it has the digest of these files.
values.schema.json describes each key of values.yaml, and no other; versions are the project's. No object of examples/recipes is called as one of
those manifests: applied in the same namespace it would take the other's place, and Helm would refuse to install the chart.
"""
import hashlib
import json
import re

from sources import ROOT, close

CHART = ROOT / "packaging/helm/rollcall"
TRANSCRIPT = ROOT / "tests/interop/chart/transcript.md"
DEFAULTS = [  # what the templates' actions are with the values of the manifests
    ("{{ .Release.Name }}", "rollcall"), ("{{ $.Release.Name }}", "rollcall"), ("{{ .Release.Namespace }}", "rollcall-system"),
    ('{{ include "rollcall.subjects" . }}', "[{kind: ServiceAccount, name: rollcall, namespace: rollcall-system}]"),
    ('{{ include "rollcall.subjects" $ }}', "[{kind: ServiceAccount, name: rollcall, namespace: rollcall-system}]"),
    ('{{ .Values.tokenReviews | ternary "token-reviews" "issuer-discovery" }}', "issuer-discovery"),
    ('{{ .Values.tokenReviews | ternary "auth-delegator" "service-account-issuer-discovery" }}', "service-account-issuer-discovery"),
    ("namespace: {{ . }}", "namespace: train"), ("{{ .Values.replicas }}", "3"), ("{{ .Values.spread }}", "ScheduleAnyway"),
    ("{{ .Values.tls.secretName }}", "rollcall-tls"), ("{{ .Values.audience | quote }}", "rollcall"),
]
APART = ("kind: Namespace", "metadata: {name: rollcall-system}", "metadata: {labels: {app: rollcall}}",
         "metadata: {labels: {app: rollcall, role: replica}}")  # the last two have an annotation beside it
OBJECT = re.compile(r"(?m)^kind: (\w+)\nmetadata: \{name: ([\w-]+)(?:, namespace: ([\w-]+))?\}")
KEY = re.compile(r"^( *)([A-Za-z]+):( .*)?$")


def digest():
    """Of the chart, and of the manifests that it is compared with."""
    files = [path for path in CHART.rglob("*") if path.is_file()] + list((ROOT / "examples/fleet").glob("kubernetes*.yaml"))
    text = "".join(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()


def keys_of_values(text):
    """`image`, `image.digest` …, of mappings that are written as blocks."""
    path, keys = [], set()
    for line in text.splitlines():
        found = KEY.match(line)
        if found:
            path = [*path[:len(found[1]) // 2], found[2]]
            keys.add(".".join(path))
    return keys


def keys_of_schema(schema, path=""):
    for key, part in schema.get("properties", {}).items():
        yield path + key
        yield from keys_of_schema(part, f"{path}{key}.")


def objects_of(folder, pattern):
    return {found for path in (ROOT / "examples" / folder).glob(pattern) for found in OBJECT.findall(path.read_text(encoding="utf-8"))}


def faults_of_names():
    service, recipes = objects_of("fleet", "kubernetes*.yaml"), objects_of("recipes", "*.yaml")
    if len(service) < 10 or len(recipes) < 3:
        yield f"the check finds {len(service)} and {len(recipes)} objects in the manifests"
    for kind, name, namespace in sorted(service & recipes):
        yield f"examples/recipes and examples/fleet both have the {kind} {name} of {namespace}"


def faults_of_lines():
    """Settings, the image and resources are made of values, the Namespace by Helm's options."""
    templates = "\n".join(path.read_text(encoding="utf-8") for path in sorted((CHART / "templates").iterdir()))
    for action, value in DEFAULTS:
        templates = templates.replace(action, value)
    rendered = {line.strip() for line in templates.split("\n")}
    count = 0
    for name in ("kubernetes.yaml", "kubernetes-replicas.yaml"):
        text = (ROOT / "examples/fleet" / name).read_text(encoding="utf-8")
        text = re.sub(r"(?m)^  fleet.yaml: \|\n(?:    .*\n)+", "", text)
        for line in text.split("\n"):
            line = line.strip()
            is_fixed = line and not line.startswith(("#", "image: ", "resources: ")) and line not in APART
            count += bool(is_fixed)
            if is_fixed and line not in rendered:
                yield f"examples/fleet/{name}: no template of the chart has the line {line}"
    if count < 100:
        yield f"the check finds {count} lines in the manifests"


def main():
    values = keys_of_values((CHART / "values.yaml").read_text(encoding="utf-8")) - {"resources.requests", "resources.limits"}
    schema = set(keys_of_schema(json.loads((CHART / "values.schema.json").read_text(encoding="utf-8")))) - {"global"}
    schema = {key for key in schema if not key.startswith("tls.issuer.")}
    faults = [f"values.schema.json does not describe {key}" for key in sorted(values - schema)]
    faults += [f"values.yaml does not have {key}" for key in sorted(schema - values)]
    version = re.search(r"^project\(rollcall VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    chart = (CHART / "Chart.yaml").read_text(encoding="utf-8")
    faults += [f"Chart.yaml: no line {line}" for line in (f"version: {version}", f'appVersion: "{version}"') if line not in chart.splitlines()]
    faults += faults_of_lines()
    faults += faults_of_names()
    if TRANSCRIPT.exists() and digest() not in TRANSCRIPT.read_text(encoding="utf-8"):
        faults.append("the chart or a manifest of examples/fleet has changed since they were compared: run tests/interop/chart/run --write")
    close(len(values) + 3, faults)


if __name__ == "__main__":
    main()
