"""certificates.py TRANSCRIPT: `rollcall spec` against openssl s_server and nginx with good and bad certificates, each made by openssl."""
import os
import subprocess
import sys

from counterparts import Programs, Transcript, free_port

HOST = "tpu.googleapis.com"
REFUSED = ANSWERED = 1  # the exit code for failures other than permissions or an unreachable host
TRUSTED = "an HTML page"  # the answer of a server that is not a cloud, once it is trusted and asked


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], capture_output=True, check=True)


def make(name, subject, names=f"DNS:{HOST}", usage="serverAuth", by="ca", start=None, end=None, is_authority=False):
    """`start` and `end` as openssl ca has them, YYYYMMDDHHMMSSZ."""
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={subject}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    with open(f"{name}.ext", "w", encoding="ascii") as ext:
        ext.write("basicConstraints=critical,CA:TRUE\n" if is_authority else f"extendedKeyUsage={usage}\n" + (f"subjectAltName={names}\n" if names else ""))
    with open("ca.conf", "w", encoding="ascii") as conf:
        conf.write("[ca]\ndefault_ca=d\n[d]\ndatabase=ca.db\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n")
    open("ca.db", "w", encoding="ascii").close()
    signer = ["-selfsign", "-keyfile", f"{name}.key"] if by is None else ["-cert", f"{by}.pem", "-keyfile", f"{by}.key"]
    times = ["-startdate", start] * bool(start) + (["-enddate", end] if end else ["-days", "30"])
    openssl("ca", "-batch", "-config", "ca.conf", "-in", f"{name}.csr", "-out", f"{name}.pem", "-notext", "-extfile", f"{name}.ext", *signer, *times)


# name, expected text, exit code; the arguments of make().
CASES = [
    ("good", [TRUSTED], ANSWERED, {}),
    ("expired", [r"the certificate of CN = expired expired on 2026-01-02 00:00 UTC \(\d+ days? ago\)"], REFUSED, {"start": "20260101000000Z", "end": "20260102000000Z"}),
    ("not-yet", [r"the certificate of CN = not-yet is not valid before 2098-01-01 00:00 UTC \(in \d+ days\)"], REFUSED, {"start": "20980101000000Z", "end": "20990101000000Z"}),
    ("other-names", [r"its certificate is for a\.example, b\.example, not for tpu\.googleapis\.com"], REFUSED, {"names": "DNS:a.example,DNS:b.example"}),
    ("common-name-only", [r"its certificate is for no host \(CN = tpu\.googleapis\.com, without subject alternative names\)"], REFUSED, {"subject": HOST, "names": ""}),
    ("partial-wildcard", [r"its certificate is for t\*\.googleapis\.com, not for"], REFUSED, {"names": "DNS:t*.googleapis.com"}),
    ("wildcard", [TRUSTED], ANSWERED, {"names": "DNS:*.googleapis.com"}),
    ("self-signed", [r"its certificate \(CN = self-signed\) is self-signed and not among the trust anchors \(the CA file ca\.pem\)"], REFUSED, {"by": None}),
    ("unknown-authority", [r"issued by an unknown authority \(CN = other\), which is not among the trust anchors \(the CA file ca\.pem\)"], REFUSED, {"by": "other"}),
    ("for-clients", [r"has the wrong purpose: it is for TLS Web Client Authentication"], REFUSED, {"usage": "clientAuth"}),
    ("by-a-server", [r"issued by an unknown authority \(CN = good\)"], REFUSED, {"by": "good"}),
]


def nginx_config(ports, mutual):
    servers = "".join(f"server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {os.path.abspath(name + '.pem')}; ssl_certificate_key {os.path.abspath(name + '.key')}; "
                      f"location / {{ return 404; }} {extra} }}\n"
                      for name, port, extra in [*((name, port, "") for name, port in ports.items()),
                                                ("good", mutual, f"ssl_verify_client on; ssl_client_certificate {os.path.abspath('ca.pem')};")])
    folder = os.path.abspath("nginx")
    os.makedirs(folder, exist_ok=True)
    with open("nginx.conf", "w", encoding="ascii") as conf:
        conf.write(f"daemon off; pid {folder}/pid; error_log {folder}/log;\nevents {{}}\nhttp {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; "
                   f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n{servers}}}\n")
    return os.path.abspath("nginx.conf")


def main():
    os.makedirs("tls", exist_ok=True)
    target = os.path.abspath(sys.argv[1])
    os.chdir("tls")
    for name in ("ca", "other"):
        make(name, name, by=None, is_authority=True)
    for name, _, _, how in CASES:
        make(name, **{"subject": name, **how})
    transcript = Transcript("Certificates of real servers and Rollcall", f"`tests/interop/proxies` writes this. Each item is a run of `rollcall spec tpu:t` for `{HOST}`, which `--connect-to` maps to a server with such a certificate, "
                            "and the last line that it printed.")

    def ask(name, port, code, patterns, more=()):
        transcript.check(name, ["spec", "tpu:t", "--project", "p", "--zone", "z", "--ca", "ca.pem", "--retries", "0", "--timeout", "10s", "--connect-to", f"{HOST}:443:127.0.0.1:{port}", *more],
                         {"ROLLCALL_ACCESS_TOKEN": "hush-hush-token"}, code, patterns, ["hush-hush-token", "PRIVATE KEY"])

    with Programs() as programs:
        transcript.section("openssl s_server")
        for name, patterns, code, _ in CASES:
            port = free_port()
            programs.start(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", f"{name}.pem", "-key", f"{name}.key", "-www", "-quiet"], [port])
            ask(name, port, code, patterns)
        for name, arguments, code, patterns in [
            ("TLS 1.1 at most", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], REFUSED, ["no TLS version from 1.2 on"]),
            ("TLS 1.2", ["-tls1_2"], ANSWERED, [TRUSTED]),
            ("TLS 1.3, a client certificate wanted", ["-Verify", "1", "-CAfile", "ca.pem", "-verify_return_error"], REFUSED, ["certificate required", "client certificate"]),
            ("TLS 1.2, a client certificate wanted", ["-tls1_2", "-Verify", "1", "-CAfile", "ca.pem", "-verify_return_error"], REFUSED, ["handshake failure|certificate required", "client certificate"]),
        ]:
            port = free_port()
            programs.start(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", "good.pem", "-key", "good.key", "-www", "-quiet", *arguments], [port])
            ask(name, port, code, patterns)
        transcript.section("nginx")
        ports = {name: free_port() for name, *_ in CASES}
        mutual = free_port()
        programs.start(["nginx", "-c", nginx_config(ports, mutual)], [*ports.values(), mutual])
        for name, patterns, code, _ in CASES:
            ask(name, ports[name], code, patterns)
        ask("a client certificate wanted", mutual, ANSWERED, ["HTTP 400"])
    transcript.finish(target)


main()
