"""proxies.py TRANSCRIPT: `rollcall spec` of a simulated cloud, by way of tinyproxy, squid and dante-server.

The cloud listens on loopback, to which no proxy connects. So it is asked for as tpu.googleapis.com, which only the proxies can look up: each has an /etc/hosts of its own, where
that name is 127.0.0.1. Every answer therefore came through the proxy."""
import os
import re
import socket
import subprocess
import sys
import threading

from counterparts import HERE, ROLLCALL, Programs, Transcript, free_port

USER, PASSWORD = "interop", "s3cret@hush"
QUOTED = "s3cret%40hush"
PLAIN = "s3crethush"  # tinyproxy accepts letters and digits only
TARGET = "tpu:trainer"
FOUND = [r"10\.130\.0\.26"]
SECRETS = (PASSWORD, QUOTED, PLAIN, "aW50ZXJvcDp")  # the last: base64 of "interop:"


def write(name, text):
    path = os.path.abspath(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def start_tinyproxy(programs, hosts, extra=""):
    port = free_port()
    config = write(f"tinyproxy-{port}.conf", f"Port {port}\nListen 127.0.0.1\nTimeout 30\nMaxClients 20\nPidFile \"{os.path.abspath(f'tinyproxy-{port}.pid')}\"\n{extra}")
    programs.start(["tinyproxy", "-d", "-c", config], [port], [(hosts, "/etc/hosts")])
    return port


def start_squid(programs, hosts, extra, tls=False):
    port = free_port()
    folder = os.path.abspath(f"squid-{port}")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    listen = f"https_port 127.0.0.1:{port} tls-cert={os.path.abspath('proxy.pem')} tls-key={os.path.abspath('proxy.key')}" if tls else f"http_port 127.0.0.1:{port}"
    config = write(f"squid-{port}.conf", f"{listen}\nhosts_file {hosts}\npid_filename {folder}/pid\ncache_log {folder}/log\naccess_log none\ncache deny all\n"
                   f"coredump_dir {folder}\nshutdown_lifetime 0 seconds\nvisible_hostname interop\n{extra}")
    programs.start(["squid", "-N", "-f", config], [port], [(hosts, "/etc/hosts")])
    return port


def start_danted(programs, hosts, method, rules="socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }"):
    port = free_port()
    hashed = subprocess.run(["openssl", "passwd", "-6", PASSWORD], capture_output=True, text=True, check=True).stdout.strip()
    with open("/etc/passwd", encoding="utf-8") as passwd:
        users = write("passwd", passwd.read() + f"{USER}:x:4242:65534::/nonexistent:/usr/sbin/nologin\n")
    shadow = write("shadow", f"{USER}:{hashed}:19000:0:99999:7:::\n")
    os.chmod(shadow, 0o600)
    config = write(f"danted-{port}.conf", f"logoutput: {os.path.abspath(f'danted-{port}.log')}\ninternal: 127.0.0.1 port = {port}\nexternal: 127.0.0.1\nexternal: {outer_address()}\nexternal.rotation: same-same\n"
                   f"clientmethod: none\nsocksmethod: {method}\nuser.privileged: root\nuser.unprivileged: nobody\n"
                   f"client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}\n{rules}\n")
    programs.start(["danted", "-N", "1", "-f", config, "-p", os.path.abspath(f"danted-{port}.pid")], [port],
                   [(hosts, "/etc/hosts"), (users, "/etc/passwd"), (shadow, "/etc/shadow")])
    return port


def outer_address():
    """An address of this machine that is not loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("203.0.113.1", 9))
        return probe.getsockname()[0]


def relay_from(address, port):
    """Connections to address:port go to the server on 127.0.0.1:port."""
    listener = socket.create_server((address, port))

    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def serve():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for pair in ((client, server), (server, client)):
                threading.Thread(target=copy, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def main():
    hosts = write("hosts", "127.0.0.1 localhost tpu.googleapis.com\n")
    sim = subprocess.run([ROLLCALL, "sim", os.path.join(HERE, "cloud.json"), "--ca-out", "ca.pem", "--background", "--quiet"], capture_output=True, text=True, check=True)
    settings = dict(re.findall(r"export (\w+)='([^']*)'", sim.stdout))
    port = int(re.search(r":(\d+)/", settings["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"]).group(1))
    base = {"GCE_METADATA_HOST": settings["GCE_METADATA_HOST"], "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://tpu.googleapis.com:{port}/"}
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=interop proxy",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "proxy.key", "-out", "proxy.pem"], capture_output=True, check=True)
    os.chmod("proxy.key", 0o644)
    with open("both.pem", "w", encoding="ascii") as both, open("ca.pem", encoding="ascii") as ca, open("proxy.pem", encoding="ascii") as proxy:
        both.write(ca.read() + proxy.read())
    transcript = Transcript("Real proxies and Rollcall", "`tests/interop/proxies` writes this. Each item is a run of `rollcall spec " + TARGET + "` and the last line that it printed; ports are left out. Each was "
                            "searched for the proxy's password, plain and encoded.")

    def ask(name, variables, code, patterns, *more, ca="ca.pem", timeout="5s", retries="0"):
        transcript.check(name, ["spec", TARGET, "--verbose", "--ca", ca, "--timeout", timeout, "--retries", retries, *more], {**base, **variables}, code, patterns, SECRETS)

    try:
        with Programs() as programs:
            relay_from(outer_address(), port)
            open_port = start_tinyproxy(programs, hosts, "DisableViaHeader Yes\n")
            transcript.section("tinyproxy")
            http = f"http://127.0.0.1:{open_port}"
            ask("a tunnel by HTTPS_PROXY", {"HTTPS_PROXY": http}, 0, [*FOUND, f"by way of the proxy {http}"])
            ask("by all_proxy, without a scheme", {"all_proxy": http.removeprefix("http://")}, 0, FOUND)
            ask("not by HTTP_PROXY", {"HTTP_PROXY": http}, 3, ["looking up 'tpu.googleapis.com'"], "--dns-server", "127.0.0.1:9", retries="1")
            ask("not where NO_PROXY says so", {"HTTPS_PROXY": http, "NO_PROXY": ".googleapis.com"}, 3, ["looking up 'tpu.googleapis.com'"], "--dns-server", "127.0.0.1:9", retries="1")
            ask("a port without a listener", {"HTTPS_PROXY": http, "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://tpu.googleapis.com:{free_port()}/"}, 5, ["refused a tunnel"])
            ask("a host that the proxy does not know", {"HTTPS_PROXY": http, "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://nobody.invalid:{port}/"}, 5, ["refused a tunnel"])
            limited = f"http://127.0.0.1:{start_tinyproxy(programs, hosts, 'ConnectPort 1' + chr(10))}"
            ask("a port that the proxy does not allow", {"HTTPS_PROXY": limited}, 4, ["HTTP 403"])
            secured = start_tinyproxy(programs, hosts, f"BasicAuth {USER} {PLAIN}\n")
            ask("with user and password", {"HTTPS_PROXY": f"http://{USER}:{PLAIN}@127.0.0.1:{secured}"}, 0, FOUND)
            ask("without", {"HTTPS_PROXY": f"http://127.0.0.1:{secured}"}, 4, ["HTTP 407; it wants Basic", "before the host in HTTPS_PROXY"])
            ask("with another password", {"HTTPS_PROXY": f"http://{USER}:s3crethush2@127.0.0.1:{secured}"}, 4, ["does not accept the user and the password in HTTPS_PROXY"])

            transcript.section("squid")
            file = write("squid-users", f"{USER}:" + subprocess.run(["openssl", "passwd", "-apr1", PASSWORD], capture_output=True, text=True, check=True).stdout)
            basic = f"auth_param basic program /usr/lib/squid/basic_ncsa_auth {file}\nauth_param basic realm interop\nacl known proxy_auth REQUIRED\nhttp_access allow known\nhttp_access deny all\n"
            free = start_squid(programs, hosts, "http_access allow all\n")
            ask("a tunnel", {"HTTPS_PROXY": f"http://127.0.0.1:{free}"}, 0, FOUND)
            ask("a port without a listener", {"HTTPS_PROXY": f"http://127.0.0.1:{free}", "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://tpu.googleapis.com:{free_port()}/"}, 5, ["refused a tunnel .* HTTP 503"])
            ask("forbidden", {"HTTPS_PROXY": f"http://127.0.0.1:{start_squid(programs, hosts, 'http_access deny all' + chr(10))}"}, 4, ["HTTP 403"])
            secured = start_squid(programs, hosts, basic)
            ask("with user and password", {"HTTPS_PROXY": f"http://{USER}:{QUOTED}@127.0.0.1:{secured}"}, 0, FOUND)
            ask("without", {"HTTPS_PROXY": f"http://127.0.0.1:{secured}"}, 4, ["HTTP 407; it wants Basic"])
            ask("with another password", {"HTTPS_PROXY": f"http://{USER}:no@127.0.0.1:{secured}"}, 4, ["does not accept the user and the password in HTTPS_PROXY"])
            over_tls = start_squid(programs, hosts, basic, tls=True)
            ask("over TLS, with user and password", {"HTTPS_PROXY": f"https://{USER}:{QUOTED}@127.0.0.1:{over_tls}"}, 0, FOUND, ca="both.pem")
            ask("over TLS, its certificate unknown", {"HTTPS_PROXY": f"https://{USER}:{QUOTED}@127.0.0.1:{over_tls}"}, 1, ["the proxy 'https://127.0.0.1:\\d+' .HTTPS_PROXY. cannot be reached", "self-signed"])
            ask("TLS where it speaks none", {"HTTPS_PROXY": f"https://127.0.0.1:{free}"}, 1, ["does not speak TLS"])
            ask("SOCKS where it speaks HTTP", {"HTTPS_PROXY": f"socks5h://127.0.0.1:{free}"}, 3, ["opening a tunnel to .* took longer than 5s"], timeout="20s")

            transcript.section("dante-server")
            open_socks = start_danted(programs, hosts, "none")
            ask("a tunnel, the name looked up by the proxy", {"ALL_PROXY": f"socks5h://127.0.0.1:{open_socks}"}, 0, FOUND)
            ask("a tunnel, the name looked up here", {"ALL_PROXY": f"socks5://127.0.0.1:{open_socks}"}, 0, FOUND, "--connect-to", f"tpu.googleapis.com:{port}:{outer_address()}:{port}")
            ask("a user and a password that it does not ask for", {"ALL_PROXY": f"socks5h://{USER}:{QUOTED}@127.0.0.1:{open_socks}"}, 0, FOUND)
            ask("a port without a listener", {"ALL_PROXY": f"socks5h://127.0.0.1:{open_socks}", "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://tpu.googleapis.com:{free_port()}/"}, 5, ["connection refused"])
            ask("a host that the proxy does not know", {"ALL_PROXY": f"socks5h://127.0.0.1:{open_socks}", "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"https://nobody.invalid:{port}/"}, 5, ["host unreachable|general SOCKS server failure"])
            blocked = start_danted(programs, hosts, "none", "socks block { from: 0.0.0.0/0 to: 0.0.0.0/0 }")
            ask("forbidden", {"ALL_PROXY": f"socks5h://127.0.0.1:{blocked}"}, 4, ["does not allow the connection by its rules"])
            secured = start_danted(programs, hosts, "username")
            ask("with user and password", {"ALL_PROXY": f"socks5h://{USER}:{QUOTED}@127.0.0.1:{secured}"}, 0, FOUND)
            ask("without", {"ALL_PROXY": f"socks5h://127.0.0.1:{secured}"}, 4, ["accepts none of the ways of signing in", "before the host in ALL_PROXY"])
            ask("with another password", {"ALL_PROXY": f"socks5h://{USER}:no@127.0.0.1:{secured}"}, 4, ["refused the user and the password"])

            transcript.section("None of them", "The same cloud as `localhost`, a proxy that is not there, and a metadata server on loopback: nothing is led through it.")
            nowhere = f"http://127.0.0.1:{free_port()}"
            ask("a server of this machine", {"HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere, "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": settings["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"]}, 0, FOUND)
            ask("a name that --connect-to maps to this machine", {"HTTPS_PROXY": nowhere}, 0, FOUND, "--connect-to", f"tpu.googleapis.com:{port}:127.0.0.1:{port}")
            ask("a server elsewhere", {"HTTPS_PROXY": nowhere}, 5, ["the proxy 'http://127.0.0.1:\\d+' .HTTPS_PROXY. cannot be reached"])
    finally:
        subprocess.run(["kill", settings["ROLLCALL_SIM_PID"]], check=False)
    transcript.finish(sys.argv[1])


main()
