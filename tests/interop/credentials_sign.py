"""Signature Version 4: botocore signs the requests that Rollcall has signed, and the signatures must be the same."""
import datetime
import json
import random
import string
import subprocess
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials

from credentials_server import AWS_KEYS


def authorization(question, date, signed_headers=None):
    """The value that botocore would write at `date`; of the headers, only the signed ones."""
    headers = {name: value for name, value in question["headers"].items() if signed_headers is None or name.lower() in signed_headers}
    request = botocore.awsrequest.AWSRequest(question["method"], question["url"], headers, question["body"].encode())
    keys = botocore.credentials.Credentials(question["access_key"], question["secret_key"], question["token"] or None)
    signer = botocore.auth.SigV4Auth(keys, question["service"], question["region"])
    request.context["timestamp"] = date
    for name in ("X-Amz-Date", "X-Amz-Security-Token"):
        del request.headers[name]
    request.headers["X-Amz-Date"] = date
    if question["token"]:
        request.headers["X-Amz-Security-Token"] = question["token"]
    signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    signed = signer.signed_headers(signer.headers_to_sign(request))
    return f"AWS4-HMAC-SHA256 Credential={signer.scope(request)}, SignedHeaders={signed}, Signature={signature}"


def fields_of(document):
    """The request for the caller's identity in a subject token. Its signature is verified."""
    headers = {header["key"]: header["value"] for header in document["headers"]}
    given = headers.pop("Authorization", None) or headers.pop("authorization")
    date = headers.pop("x-amz-date")
    signed = given.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    scope = given.partition("Credential=")[2].partition(",")[0].split("/")
    question = {"method": document["method"], "url": document["url"], "headers": {k: v for k, v in headers.items() if k != "host"}, "body": document.get("body", ""),
                "access_key": AWS_KEYS["AccessKeyId"], "secret_key": AWS_KEYS["SecretAccessKey"], "token": headers.get("x-amz-security-token", ""),
                "region": scope[2], "service": scope[3]}
    return {"method": document["method"], "url": document["url"], "other members": sorted(set(document) - {"method", "url", "headers"}),
            **{"header " + name: value for name, value in headers.items()}, "key": scope[0], "scope": "/".join(scope[2:]), "signed headers": signed,
            "signature is botocore's": authorization(question, date, signed) == given}


def generated(count):
    pick = random.Random(15)
    word = lambda letters, most: "".join(pick.choices(letters, k=pick.randint(1, most)))
    letters = string.ascii_letters + string.digits
    for _ in range(count):
        path = "".join("/" + urllib.parse.quote(word(letters + "-._~ +@:é", 8).replace(".", "x"), safe="@:+") for _ in range(pick.randint(0, 3))) or "/"
        query = "&".join(f"{urllib.parse.quote(word(letters + ' /', 5), safe='')}={urllib.parse.quote(word(letters + '+=&é ', 9), safe='')}" for _ in range(pick.randint(0, 4)))
        port = pick.choice(["", "", ":443", ":8443"])
        names = {f"X-{word(letters, 6)}".lower(): word(letters + "  ,;=", 20).strip() or "x" for _ in range(pick.randint(0, 3))}
        yield {"method": pick.choice(["GET", "POST"]), "url": f"https://{word(string.ascii_lowercase, 8)}.amazonaws.com{port}{path}" + ("?" + query if query else ""),
               "headers": names, "body": word(letters + "\n {}é", 60) if pick.random() < 0.5 else "", "access_key": "AKID" + word(string.ascii_uppercase, 16),
               "secret_key": word(letters + "/+", 60), "token": pick.choice(["", word(letters + "/+=", 300)]),
               "region": pick.choice(["us-east-1", "eu-central-2", "us-gov-west-1", "cn-north-1"]), "service": pick.choice(["sts", "iam", "execute-api"]),
               "now": datetime.datetime.fromtimestamp(pick.randint(0, 4_000_000_000), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}


def compare(program, count):
    questions = list(generated(count))
    answers = subprocess.run([program], input="".join(json.dumps(q) + "\n" for q in questions), capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    different = []
    for question, answer in zip(questions, answers, strict=True):
        date, _, given = answer.partition("\t")
        expected_date = question["now"].replace("-", "").replace(":", "")
        if date != expected_date or given != authorization(question, expected_date):
            different.append(f"{question}: {given}, botocore {authorization(question, expected_date)}")
    text = f"{count} generated requests signed by both: {count - len(different)} the same, {len(different)} not."
    return not different, "\n".join([text, *different[:5]])
