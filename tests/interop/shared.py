"""Shared by the asking programs: the questions, and one spelling for answers."""
import json
import os
import sys

HTTPS_ROOT = os.environ.get("INTEROP_HTTPS_ROOT", "")
HTTP_ROOT = os.environ.get("INTEROP_HTTP_ROOT", "")
PROJECT = "example-proj"
ZONE = "us-central2-b"


def questions():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "questions.json"), encoding="utf-8") as file:
        for number, question in enumerate(json.load(file)["questions"]):
            yield number, question


def root(question):
    return HTTP_ROOT if question.get("scheme") == "http" else HTTPS_ROOT


def parent(question):
    return f"projects/{question.get('project', PROJECT)}/locations/{question.get('zone', ZONE)}"


def address(ip, port):
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"


def yes(value):
    return "yes" if value else "no"


def ask_all(clients):
    """Asks every question of every client ({name: {kind: function}}) and writes the answers to standard output."""
    answers = {}
    for number, question in questions():
        for name, functions in clients.items():
            if question["kind"] not in functions:
                continue
            try:
                answer = functions[question["kind"]](question)
            except Exception as error:  # pylint: disable=broad-except; an answer of its own kind: it is shown
                answer = {"unexpected": f"{type(error).__name__}: {error}"}
            answers.setdefault(name, {})[str(number)] = answer
    json.dump(answers, sys.stdout, indent=1)
