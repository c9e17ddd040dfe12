"""Compares the requests of two clients, one by one and field by field."""
import base64
import json
import time
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

import credentials_sign

# Other headers of a client do not matter: its own name, the types it accepts, the length of the body.
HEADERS = ["content-type", "authorization", "x-goog-user-project", "x-example", "x-aws-ec2-metadata-token", "x-aws-ec2-metadata-token-ttl-seconds"]

IAM = "https://www.googleapis.com/auth/iam"
PLATFORM = "https://www.googleapis.com/auth/cloud-platform"


def reason_for(field, theirs, ours):
    """Why a field may differ; None if it may not."""
    if field in ("form scope", "assertion, claim scope") and (theirs, ours) == (IAM, PLATFORM):
        return "Before it impersonates an account, google-auth asks for the scope `iam`, Rollcall for `cloud-platform` as the Go library does."
    if field == "json delegates" and (theirs, ours) == (None, []):
        return "No delegates are `null` in google-auth, where the file has no such field, and an empty list in Rollcall."
    if field == "form subject_token" and theirs == ours + "\n":
        return "The line end of a token's file is no part of the token for Rollcall; google-auth sends it."
    if field == "aws signed headers" and sorted(theirs + ["x-goog-cloud-target-resource"]) == ours:
        return "Rollcall signs `x-goog-cloud-target-resource` too, as the Go and Java libraries do; google-auth sends it unsigned."
    if field == "variable GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL" and theirs is None:
        return "Rollcall tells the program which account is impersonated, as AIP-4117 has it; google-auth does not."
    if field == "header x-goog-user-project" and theirs is None:
        return "google-auth does not read the quota project of a `service_account` file."
    if field == "header x-goog-user-project" and ours is None:
        return "google-auth names the quota project also when it asks IAM credentials for the account's token; Rollcall, as the Go library, does not."
    return None


def program_output(lines):
    """The input of a program; an empty variable counts as unset."""
    return {f"variable {name}": value for name, _, value in (line.partition("=") for line in lines) if value}


def repeated(requests):
    sessions = [one for one in requests if one["method"] == "PUT"]
    return sessions[1:]


class Comparison:
    def __init__(self, public_key):
        self.key, self.faults, self.used = public_key, [], []

    def reasons(self):
        return self.used

    def number_of(self, reason):
        if reason not in self.used:
            self.used.append(reason)
        return self.used.index(reason) + 1

    def row(self, name, theirs, ours):
        fields, differences, marks = 0, [], []
        for aside in theirs[3]:
            marks.append(self.number_of(aside))
        if repeated(theirs[1]):
            marks.append(self.number_of("google-auth asks AWS's metadata server for a session token twice, Rollcall once."))
        theirs = (theirs[0], [one for one in theirs[1] if not any(one is other for other in repeated(theirs[1]))], theirs[2])
        if theirs[0] != 200 or ours[0] != 200:
            differences.append(f"google-auth ended with {theirs[0]}, Rollcall with {ours[0]}")
        where = lambda requests: [f"{one['method']} {one['host']}{one['path']}" for one in requests]
        if where(theirs[1]) != where(ours[1]):
            differences.append(f"google-auth asked {where(theirs[1])}, Rollcall {where(ours[1])}")
        pairs = [(self.fields_of(a), self.fields_of(b)) for a, b in zip(theirs[1], ours[1])]
        pairs.append((program_output(theirs[2]), program_output(ours[2])))
        for number, (a, b) in enumerate(pairs, 1):
            for field in {**a, **b}:
                fields += 1
                if a.get(field) == b.get(field):
                    continue
                reason = reason_for(field, a.get(field), b.get(field))
                if not reason:
                    differences.append(f"request {number}, {field}: google-auth {a.get(field)!r}, Rollcall {b.get(field)!r}")
                    continue
                marks.append(self.number_of(reason))
        self.faults += [f"- {name}: {difference}" for difference in differences]
        but_for = "; meant: " + ", ".join(map(str, sorted(set(marks)))) if marks else ""
        verdict = "DIFFERS" if differences else "same" + but_for
        return f"| {name} | {len(ours[1])} | {fields} | {verdict} |"

    def fields_of(self, request):
        fields = {"header " + name: request["headers"][name] for name in HEADERS if name in request["headers"]}
        authorization = fields.get("header authorization", "")
        if authorization.startswith("Bearer ") and authorization.count(".") == 2:
            del fields["header authorization"]
            fields.update(self.fields_of_jwt("token", authorization.removeprefix("Bearer ")))
        if fields.get("header content-type", "").startswith("application/json"):
            fields.update({"json " + name: value for name, value in json.loads(request["body"]).items()})
        for name, value in urllib.parse.parse_qsl(request["body"], keep_blank_values=True) if not fields.get("header content-type", "").endswith("json") else []:
            if name == "assertion":
                fields.update(self.fields_of_jwt(name, value))
            elif name == "subject_token" and value.startswith("%7B"):
                fields.update({f"aws {name}": value for name, value in credentials_sign.fields_of(json.loads(urllib.parse.unquote(value))).items()})
            else:
                fields["form " + name] = json.loads(urllib.parse.unquote(value)) if name == "options" else value
        return fields

    def fields_of_jwt(self, name, jwt):
        header, claims, signature = (base64.urlsafe_b64decode(part + "==") for part in jwt.split("."))
        self.key.verify(signature, jwt.rpartition(".")[0].encode(), padding.PKCS1v15(), hashes.SHA256())
        header, claims = json.loads(header), json.loads(claims)
        issued_at = claims.pop("iat")
        claims["lifetime"], claims["is of now"] = claims.pop("exp") - issued_at, abs(issued_at - time.time()) < 60
        fields = {f"{name}, header {key}": value for key, value in header.items()}
        return {**fields, **{f"{name}, claim {key}": value for key, value in claims.items()}, f"{name}, is unpadded": "=" not in jwt}
