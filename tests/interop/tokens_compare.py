"""tokens_compare.py TRANSCRIPT: a table of tokens, and the verdicts of PyJWT and of the service's own check. See tokens."""
import base64
import hashlib
import hmac
import json
import os
import subprocess
import sys
import time
import warnings

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

ISSUER, AUDIENCE, GRACE = "https://issuer.example", "rollcall", 60
NOW = int(time.time())
warnings.simplefilter("ignore")  # of PyJWT's, about the key of 1,024 bits


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwk(algorithm, key, kid):
    shown = json.loads(algorithm.to_jwk(key.public_key()))
    return {key: value for key, value in shown.items() if key != "key_ops"} | {"kid": kid, "use": "sig"}


RSA, CURVE, WEAK, OTHER = (rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 1024),
                           rsa.generate_private_key(65537, 2048))
KEYS = {"keys": [jwk(RSAAlgorithm, RSA, "r"), jwk(ECAlgorithm, CURVE, "c"), jwk(RSAAlgorithm, WEAK, "w")]}


def claims(**changed):
    whole = {"iss": ISSUER, "aud": AUDIENCE, "iat": NOW, "exp": NOW + 3600, "sub": "system:serviceaccount:train:default"} | changed
    return {name: value for name, value in whole.items() if value is not None}


def signed(said, key=RSA, algorithm="RS256", **header):
    return jwt.encode(said, key, algorithm, headers={"kid": "r"} | header)


def raw(header, said, key=RSA):
    """Signed with RS256 regardless of the header; both are texts."""
    message = b64(header.encode()) + "." + b64(said.encode())
    return message + "." + b64(RSAAlgorithm(RSAAlgorithm.SHA256).sign(message.encode(), key))


def hmac_by_public_key():
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    message = b64(json.dumps({"alg": "HS256", "kid": "r"}).encode()) + "." + b64(json.dumps(claims()).encode())
    return message + "." + b64(hmac.new(pem, message.encode(), hashlib.sha256).digest())


GOOD = signed(claims())
HEADER = json.dumps({"alg": "RS256", "kid": "r"})
STRICTER = "the service is stricter"
ROWS = [  # what it is, the token, who takes it: "both", "none" or "PyJWT"
    ("RS256", GOOD, "both"),
    ("ES256", signed(claims(), CURVE, "ES256", kid="c"), "both"),
    ("the audience among others", signed(claims(aud=["x", AUDIENCE])), "both"),
    ("expired half a minute ago", signed(claims(exp=NOW - 30)), "both"),
    ("expired two minutes ago", signed(claims(exp=NOW - 120)), "none"),
    ("no exp", signed(claims(exp=None)), "none"),
    ("valid for a year", signed(claims(exp=NOW + 365 * 86400)), "PyJWT"),
    ("nbf in two minutes", signed(claims(nbf=NOW + 120)), "none"),
    ("iat in two minutes", signed(claims(iat=NOW + 120)), "none"),
    ("another audience", signed(claims(aud="other")), "none"),
    ("no audience", signed(claims(aud=None)), "none"),
    ("another issuer", signed(claims(iss=ISSUER + ".evil.example")), "none"),
    ("alg none", jwt.encode(claims(), None, "none", headers={"kid": "r"}), "none"),
    ("HS256 with the public key as secret", hmac_by_public_key(), "none"),
    ("RS512", signed(claims(), algorithm="RS512"), "none"),
    ("PS256", signed(claims(), algorithm="PS256"), "none"),
    ("another key's signature", signed(claims(), OTHER), "none"),
    ("RS256 that names the key of ES256", signed(claims(), kid="c"), "none"),
    ("a kid that is not known", signed(claims(), OTHER, kid="x"), "none"),
    ("no kid, several keys", raw(json.dumps({"alg": "RS256"}), json.dumps(claims())), "none"),
    ("an RSA key of 1,024 bits", jwt.encode(claims(), WEAK, "RS256", headers={"kid": "w"}), "PyJWT"),
    ("crit", raw(json.dumps({"alg": "RS256", "kid": "r", "crit": ["x"], "x": 1}), json.dumps(claims())), "none"),
    ("claims with aud twice", raw(HEADER, json.dumps(claims())[:-1] + ', "aud": "rollcall"}'), "PyJWT"),
    ("claims that were changed", ".".join([GOOD.split(".")[0], b64(json.dumps(claims(sub="root")).encode()), GOOD.split(".")[2]]), "none"),
    ("signature cut off", GOOD.rsplit(".", 1)[0] + ".", "none"),
    ("padding", GOOD + "=" * (-len(GOOD.rsplit(".", 1)[1]) % 4), "PyJWT"),
]


def pyjwt_verdict(token):
    try:
        key = jwt.PyJWKSet.from_dict(KEYS)[jwt.get_unverified_header(token)["kid"]]
        jwt.decode(token, key, algorithms=["RS256", "ES256"], audience=AUDIENCE, issuer=ISSUER, leeway=GRACE, options={"require": ["exp"]})
        return "good"
    except KeyError:
        return "no such key"
    except jwt.PyJWTError as error:
        return type(error).__name__


def main():
    with open("keys.json", "w", encoding="utf-8") as file:
        json.dump(KEYS, file)
    tokens = "\n".join(token for _, token, _ in ROWS) + "\n"
    run = subprocess.run([os.environ["INTEROP_CHECK_TOKENS"], "keys.json", ISSUER, AUDIENCE], input=tokens, capture_output=True, text=True, check=True)
    ours = run.stdout.splitlines()
    theirs = [pyjwt_verdict(token) for _, token, _ in ROWS]
    assert len(ours) == len(ROWS)
    wrong = 0
    lines = ["# PyJWT and the service, judging the same tokens", "",
             "Written by `tests/interop/tokens`. Each token was signed by PyJWT, or put together by hand where PyJWT does not make such a one. PyJWT was",
             "given the algorithms, the audience, the issuer, a minute of grace, and that `exp` must be there.", "", "| | version |", "| --- | --- |"]
    lines += ["| {} | {} |".format(*line.rsplit(" ", 1)) for line in os.environ["INTEROP_VERSIONS"].splitlines()]
    lines += ["", "| token | PyJWT | service | |", "| --- | --- | --- | --- |"]
    for (what, _, meant), our, their in zip(ROWS, ours, theirs):
        takers = [name for name, verdict in (("PyJWT", their), ("service", our)) if verdict == "good"]
        taken = "both" if len(takers) == 2 else (takers + ["none"])[0]
        is_right = taken == meant
        wrong += not is_right
        remark = ("same" if meant != "PyJWT" else STRICTER) if is_right else f"WRONG: meant {meant}"
        lines.append(f"| {what} | {their} | {our} | {remark} |")
    lines += ["", f"{len(ROWS)} tokens, {wrong} wrong.", ""]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print("\n".join(lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
