"""Compares the answers that the clients gave and writes the transcript, in Markdown.

compare.py TRANSCRIPT ANSWERS… : each file of answers is {client: {question's number: {field: value}}}; a file may instead say
{"skipped": {client: reason}} for clients that could not be set up. The environment has the versions (INTEROP_VERSIONS, lines).
"""
import json
import os
import sys

import shared

# The clients that must answer each kind of question. `list` is not for all questions of that kind: rollcall returns null where it cannot ask.
CLIENTS = {
    "rollcall": ["metadata", "node", "list", "resolver"],
    "rollcall api=v1": ["node"],
    "google-auth": ["metadata"],
    "google-cloud-tpu": ["node", "list"],
    "google-api-python-client v2": ["node", "list"],
    "google-api-python-client v1": ["node", "list"],
    "Go compute/metadata": ["metadata", "watch"],
    "Go tpu/v2": ["node", "list"],
    "Go tpu/v1": ["node", "list"],
    "TensorFlow": ["metadata", "node", "resolver"],
}
# The fields that every one of them must return.
REQUIRED = {"metadata": ["project", "zone", "token"], "watch": ["values"], "node": ["status", "usable"], "list": ["status"], "resolver": ["cluster"]}
NOT_COMPARED = {"remark"}


def unreported(kind, answer):
    required = REQUIRED[kind] + (["addresses"] if answer.get("usable") == "yes" else [])
    return [name for name in required if name not in answer]


def shown(value):
    if isinstance(value, list):
        if len(value) > 6:
            return f"{len(value)} of them: {shown(value[:3])}, …, {shown(value[-1:])}"
        return ", ".join(shown(one) for one in value) or "none"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {shown(one)}" for key, one in sorted(value.items())) or "none"
    return str(value).replace("|", "\\|") if value != "" else "none"


def asked(question):
    if question["kind"] == "node":
        text = f"`{shared.parent(question)}/nodes/{question['node']}`"
        return text + (" over http" if question.get("scheme") == "http" else "")
    if question["kind"] == "list":
        return f"`{shared.parent(question)}/nodes`" + (f", `pageSize={question['page_size']}`" if "page_size" in question else "")
    if question["kind"] == "resolver":
        arguments = ", ".join(f"{key}={value!r}" for key, value in question["tensorflow"].items())
        environment = " ".join(f"{key}={value}" for key, value in question.get("environment", {}).items())
        return f"`TPUClusterResolver({arguments})` and `rollcall spec {question['rollcall']}`" + (f" with `{environment}`" if environment else "")
    return ""


class Transcript:
    def __init__(self):
        self.lines = []
        self.passed = self.failed = self.skipped = 0

    def say(self, text=""):
        self.lines.append(text)

    def field(self, name, reported, expected):
        """One row per different answer. Counts one comparison, if there is anything to compare with."""
        groups = {}
        for client, value in reported.items():
            groups.setdefault(json.dumps(value, sort_keys=True), []).append(client)
        if expected is not None:
            groups.setdefault(json.dumps(expected, sort_keys=True), []).insert(0, "cloud.json")
        if sum(len(clients) for clients in groups.values()) < 2:
            verdict = "only one tells"
        elif len(groups) == 1:
            verdict = "same"
            self.passed += 1
        else:
            verdict = "**DIFFERENT**"
            self.failed += 1
        for value, clients in groups.items():
            self.say(f"| {name} | {shown(json.loads(value))} | {', '.join(clients)} | {verdict} |")

    def question(self, number, question, answers, absent):
        self.say(f"\n## {number + 1}. {question['text']}\n")
        if asked(question):
            self.say(asked(question) + "\n")
        self.say("| field | answer | answered by | |\n| --- | --- | --- | --- |")
        reported = {}
        remarks = []
        for client, kinds in CLIENTS.items():
            if question["kind"] not in kinds:
                continue
            if client in absent:
                self.skipped += 1
                remarks.append(f"{client}: skipped: {absent[client]}")
                continue
            if str(number) not in answers.get(client, {}):
                answer = {"unexpected": "no answer"}
            else:
                answer = answers[client][str(number)]
            if answer and "unexpected" not in answer and unreported(question["kind"], answer):
                answer = {**answer, "unexpected": "does not tell " + ", ".join(unreported(question["kind"], answer))}
            for name, value in (answer or {}).items():
                if name == "unexpected":
                    self.failed += 1
                    self.say(f"| | {shown(value)} | {client} | **FAILED** |")
                elif name in NOT_COMPARED:
                    remarks.append(f"{client}: {value}")
                else:
                    reported.setdefault(name, {})[client] = value
        expected = question.get("expect", {})
        for name in dict.fromkeys([*expected, *reported]):
            if name in reported:
                self.field(name, reported[name], expected.get(name))
            elif not all(client in absent for client, kinds in CLIENTS.items() if question["kind"] in kinds):
                self.failed += 1
                self.say(f"| {name} | {shown(expected[name])} | cloud.json alone | **DIFFERENT** |")
        if remarks:
            self.say()
            self.lines.extend(f"- {remark}" for remark in remarks)


def main():
    path, *files = sys.argv[1:]
    answers, absent = {}, {}
    for name in files:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        absent.update(document.pop("skipped", {}))
        answers.update(document)
    out = Transcript()
    out.say("# Google's clients and Rollcall, asked the same\n")
    out.say("Written by `tests/interop/run`; see `README.md` beside it. Everything was asked of one `rollcall sim cloud.json`.\n")
    out.say("| | version |\n| --- | --- |")
    for line in os.environ["INTEROP_VERSIONS"].splitlines():
        name, version = line.rsplit(" ", 1)
        out.say(f"| {name} | {version} |")
    for number, question in shared.questions():
        out.question(number, question, answers, absent)
    with open(os.environ["INTEROP_COUNTS"], encoding="utf-8") as file:
        out.say("\n## What the simulated cloud counted\n\n```\n" + file.read().rstrip() + "\n```")
    out.say(f"\n{out.passed} passed, {out.failed} failed, {out.skipped} skipped")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out.lines) + "\n")
    print("\n".join(out.lines))
    return 1 if out.failed else 0


if __name__ == "__main__":
    sys.exit(main())
