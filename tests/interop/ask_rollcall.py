"""Asks through `rollcall spec --format json`."""
import json
import os
import re
import subprocess

import shared


def run(arguments, environment=None, root=None, mode="--partial"):
    values = {**os.environ, **(environment or {})}
    if root:
        values["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"] = root
    command = [os.environ["INTEROP_ROLLCALL"], "spec", *arguments, *mode.split(), "--format", "json", "--retries", "0"]
    command += ["--ca", os.environ["INTEROP_CA"]]
    done = subprocess.run(command, env=values, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip().replace("\n", " | "))
    return json.loads(done.stdout)


def state_of(failure):
    found = re.search(r"its state is ([A-Z_]+)", failure["message"])
    return found.group(1) if found else None


def target(question, version):
    return f"tpu:{question['node']},project={question.get('project', shared.PROJECT)},zone={question.get('zone', shared.ZONE)},api={version}"


def ask_node(version):
    def ask(question):
        environment = {"ROLLCALL_ACCESS_TOKEN": question["token"]} if "token" in question else {}
        answer = run([target(question, version)], environment, shared.root(question))
        if answer["failures"]:
            [failure] = answer["failures"]
            if failure["code"] == "not_ready":
                return {"status": 200, "usable": "no", "state": state_of(failure)}
            # "TPU 'x': HTTP 404 NOT_FOUND: what the service said"
            message = re.sub(r"^.*?HTTP \d+[A-Z_() ]*: ", "", failure["message"])
            return {"status": failure["http_status"], "usable": "no", "message": message}
        return {"status": 200, "usable": "yes", "state": "READY", "addresses": answer["cluster"]["worker"]}

    return ask


def ask_list(question):
    # The command asks for nodes by name; --lookup list finds them in the zone's list.
    if question.get("zone") != "europe-west4-a" or "page_token" in question:
        return None
    names = sorted(f"fleet-{i}" for i in range(12))
    targets = [f"tpu:{name},zone={question['zone']},project={shared.PROJECT}" for name in names]
    return {"status": 200, "addresses": run(targets, mode="--lookup list")["cluster"]["worker"]}


def ask_metadata(_):
    # A node that is missing: the failure names the project and zone that were found.
    failure = run(["tpu:missing"])["failures"][0]
    found = re.search(r"/projects/([^/]+)/locations/([^/]+)/", failure["asked"])
    return {"project": found.group(1), "zone": found.group(2), "token": "given, Bearer" if failure["http_status"] == 404 else "none"}


def ask_resolver(question):
    answer = run([question["rollcall"]], question.get("environment"))
    if answer["failures"]:
        return {"cluster": {}, "error": f"not ready: {state_of(answer['failures'][0])}"}
    first = next(iter(answer["cluster"][job] for job in sorted(answer["cluster"]) if job != "coordinator"))
    return {"cluster": answer["cluster"], "master": "grpc://" + first[0]}


if __name__ == "__main__":
    shared.ask_all(
        {
            "rollcall": {"node": ask_node("v2"), "list": ask_list, "metadata": ask_metadata, "resolver": ask_resolver},
            "rollcall api=v1": {"node": ask_node("v1")},
        }
    )
