"""credentials_client.py TRANSCRIPT: signs in as google-auth and as Rollcall with the same files, and compares their requests."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import google.auth
import google.auth.transport.requests
import urllib3.util.connection
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import credentials_compare
import credentials_sign
from credentials_server import AWS_KEYS, HOSTS, MACHINE, Cloud

ROLLCALL = os.environ["INTEROP_ROLLCALL"]
SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples/auth"
SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
NODE_URL = "https://tpu.googleapis.com/v2/projects/example-proj/locations/us-central1-a/nodes/trainer"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="interop-credentials-"))
CLOUD = Cloud(FOLDER)
KEY = rsa.generate_private_key(65537, 2048)
IMPERSONATION = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/resolver@example-proj.iam.gserviceaccount.com:generateAccessToken"


def sample(name, **changes):
    return {**json.loads((SAMPLES / f"{name}.json").read_text()), **changes}


def service_account(**changes):
    pem = KEY.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    return sample("service_account", private_key=pem, **changes)


def federated(source, **changes):
    return sample("external_account.file-json", credential_source=source, **changes)


def executable():
    """A program that records its input."""
    path = FOLDER / "idp"
    path.write_text(f"#!/bin/sh\nenv | grep ^GOOGLE_EXTERNAL_ACCOUNT_ | sort > {FOLDER}/record\necho '" + json.dumps({
        "version": 1, "success": True, "token_type": "urn:ietf:params:oauth:token-type:id_token", "id_token": "subject-of-a-program",
        "expiration_time": 4000000000}) + "'\n")
    path.chmod(0o700)
    return {"executable": {"command": f"{path} --print-token", "timeout_millis": 30000}}


def kinds():
    """Name, credential file, environment, whether google-auth gets the scope, whether the TPU API refuses signed tokens."""
    (FOLDER / "token").write_text("subject-of-a-file\n")
    (FOLDER / "token.json").write_text(json.dumps({"access_token": "subject-of-json"}))
    text = {"file": str(FOLDER / "token"), "format": {"type": "text"}}
    as_json = {"file": str(FOLDER / "token.json"), "format": {"type": "json", "subject_token_field_name": "access_token"}}
    aws = {"AWS_ACCESS_KEY_ID": AWS_KEYS["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": AWS_KEYS["SecretAccessKey"], "AWS_REGION": "eu-west-1"}
    allowed = {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"}
    account = {"service_account_impersonation_url": IMPERSONATION}
    lifetime = {**account, "service_account_impersonation": {"token_lifetime_seconds": 2800}}
    delegates = ["projects/-/serviceAccounts/first@example-proj.iam.gserviceaccount.com"]
    workforce = {"audience": "//iam.googleapis.com/locations/global/workforcePools/pool/providers/idp", "workforce_pool_user_project": "users-of-all"}
    yield "service_account, self-signed", service_account(), {}, "self-signed"
    yield "service_account, self-signed, quota project", service_account(quota_project_id="payer"), {}, "self-signed"
    yield "service_account, grant", service_account(), {}, "grant"
    yield "authorized_user", sample("authorized_user"), {}, "no scope"
    yield "authorized_user, GOOGLE_CLOUD_QUOTA_PROJECT", sample("authorized_user"), {"GOOGLE_CLOUD_QUOTA_PROJECT": "payer"}, "no scope"
    yield "external_account, file of text", federated(text), {}, ""
    yield "external_account, file of text, impersonation", federated(text, **lifetime), {}, ""
    yield "external_account, file of JSON, quota project", federated(as_json, quota_project_id="payer"), {}, ""
    yield "external_account, file of JSON, impersonation, quota project", federated(as_json, quota_project_id="payer", **account), {}, ""
    yield "external_account, client with a secret", federated(text, client_id="a client", client_secret="s:cr/t+"), {}, ""
    yield "external_account, workforce, user project", federated(text, **workforce), {}, ""
    yield "external_account, url", sample("external_account.url"), {}, ""
    yield "external_account, executable", federated(executable()), allowed, ""
    yield "external_account, executable, impersonation", federated(executable(), **account), allowed, ""
    yield "external_account, AWS keys of the environment", sample("external_account.aws"), aws, ""
    yield "external_account, AWS keys with a session", sample("external_account.aws"), {**aws, "AWS_SESSION_TOKEN": AWS_KEYS["Token"]}, ""
    yield "external_account, AWS by IMDSv2", sample("external_account.aws"), {}, ""
    yield "external_account, AWS by IMDSv2, impersonation", sample("external_account.aws", **account), {}, ""
    yield "external_account_authorized_user", sample("external_account_authorized_user"), {}, "no scope"
    yield "impersonated_service_account", sample("impersonated_service_account"), {}, ""
    yield "impersonated_service_account, delegates", sample("impersonated_service_account", delegates=delegates), {}, ""
    yield "impersonated_service_account of a service_account", sample("impersonated_service_account", source_credentials=service_account()), {}, "grant"
    yield "impersonated_service_account of a user with a quota project", sample("impersonated_service_account", source_credentials=sample("authorized_user")), {}, ""
    yield "impersonated_service_account, quota project", sample("impersonated_service_account", quota_project_id="payer"), {}, ""


def port_of(port):
    return CLOUD.https_port if port == 443 else CLOUD.http_port


def lead_to_the_cloud():
    """Names and certificates stay as they are; only the address of the connection is another."""
    connect = urllib3.util.connection.create_connection
    urllib3.util.connection.create_connection = lambda address, *rest, **options: connect(("127.0.0.1", port_of(address[1])), *rest, **options)
    os.environ["REQUESTS_CA_BUNDLE"] = str(CLOUD.ca)


def ask_google(path, how):
    credentials, _ = google.auth.load_credentials_from_file(str(path), scopes=None if how == "no scope" else SCOPES)
    if os.environ.get("GOOGLE_CLOUD_QUOTA_PROJECT"):
        credentials = credentials.with_quota_project_from_environment()
    if how == "self-signed":
        credentials = credentials.with_always_use_jwt_access(True)
    return google.auth.transport.requests.AuthorizedSession(credentials).get(NODE_URL, timeout=30).status_code


def ask_rollcall(path, _):
    lead = [word for host in HOSTS for word in ("--connect-to", f"{host}:443:127.0.0.1:{CLOUD.https_port}")]
    lead += ["--connect-to", f"{MACHINE}:80:127.0.0.1:{CLOUD.http_port}"]
    done = subprocess.run([ROLLCALL, "spec", "tpu:trainer", "--project", "example-proj", "--zone", "us-central1-a", "--ca", str(CLOUD.ca), *lead],
                          env={**os.environ, "GOOGLE_APPLICATION_CREDENTIALS": str(path)}, capture_output=True, text=True, timeout=60)
    return 200 if done.returncode == 0 else done.stderr


def ask(client, path, how):
    CLOUD.forget()
    CLOUD.refuses_jwt = how == "grant" and client is ask_rollcall
    (FOLDER / "record").unlink(missing_ok=True)
    try:
        result = client(path, how)
    except Exception as error:  # any failure of a client is its answer
        result = f"{type(error).__name__}: {error}"
    requests = CLOUD.requests
    if CLOUD.refuses_jwt:
        requests = requests[1:]  # the one that was refused
    reported = (FOLDER / "record").read_text().split() if (FOLDER / "record").exists() else []
    return result, requests, reported, list(CLOUD.asides)


def main():
    lead_to_the_cloud()
    lines = ["# google-auth, botocore and Rollcall, signing in with the same files", "",
             "Written by `tests/interop/credentials`; see `README.md` beside it. Every request went over TLS to a server of this machine, but for those to",
             "AWS's metadata server. Signatures were verified with the account's public key, and by botocore.", "",
             "| | version |", "| --- | --- |", *("| {} | {} |".format(*line.rsplit(" ", 1)) for line in os.environ["INTEROP_VERSIONS"].splitlines()),
             "", "| credentials | requests | compared fields | |", "| --- | --- | --- | --- |"]
    compare = credentials_compare.Comparison(KEY.public_key())
    for name, file, environment, how in kinds():
        path = FOLDER / "credentials.json"
        path.write_text(json.dumps(file))
        os.environ.update(environment)
        theirs, ours = ask(ask_google, path, how), ask(ask_rollcall, path, how)
        for variable in environment:
            del os.environ[variable]
        lines.append(compare.row(name, theirs, ours))
        print(lines[-1], flush=True)
    lines += ["", "Differences that are meant:", "", *(f"{number}. {reason}" for number, reason in enumerate(compare.reasons(), 1))]
    is_signed_alike, text = credentials_sign.compare(os.environ["INTEROP_SIGN_REQUESTS"], 2000)
    lines += ["", "## Signature Version 4", "", text]
    lines += ["", "## Differences that are not meant", "", *compare.faults] if compare.faults else []
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
    print("\n".join([text, *compare.faults]))
    sys.exit(0 if is_signed_alike and not compare.faults else 1)


if __name__ == "__main__":
    main()
