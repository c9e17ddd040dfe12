"""A file's content, or a token, in the place of a file's path: no output, log or file repeats it."""
import os
import tempfile

from support import *

HIDDEN = ("MIIBVAIBADANBg", "wJalrXUtnFEMI", "hush-hush", "a0ARrdaM", "e30.c2ln")  # a part of each of these
PEM = "-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n"
KEY_FILE = json.dumps({"type": "service_account", "client_email": "a@b.c", "private_key": PEM}, indent=2)
KUBECONFIG = "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: hush-hush\n"
KUBECONFIG_AS_JSON = json.dumps({"apiVersion": "v1", "users": [{"name": "u", "user": {"token": "hush-hush"}}]})
AWS = "[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"
JWT = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"
TOKEN = "ya29.a0ARrdaM-x_y\n"
CONTENTS = (PEM, KEY_FILE, KUBECONFIG, KUBECONFIG_AS_JSON, AWS, JWT, TOKEN)
NOWHERE = ("--timeout", "2s", "--retries", "0")
BARE = {"GCE_METADATA_HOST": "127.0.0.1:9", "TPU_SKIP_MDS_QUERY": "1"}
PODS = "kubernetes:train,job.worker=app=x"


def escaped(text):
    """A value of a target."""
    return "".join(c if c.isalnum() or c in "-._/" else "%%%02X" % ord(c) for c in text)


class Secrets(Command):
    def check(self, done, name, content, may_answer=False):
        said = done.stdout + done.stderr
        for part in HIDDEN:
            self.assertNotIn(part, said, (name, content[:20]))
        self.assertTrue(done.returncode != 0 or may_answer, (name, said))
        self.assertLess(len(said), 4000, (name, said))
        return said

    def test_variables(self):
        asked = {
            "KUBECONFIG": PODS,
            "GOOGLE_APPLICATION_CREDENTIALS": "tpu:trainer,project=p,zone=us-central2-b",
            "CLOUDSDK_CONFIG": "tpu:trainer,project=p,zone=us-central2-b",
            "HYDRA_HOST_FILE": "mpi:",
            "I_MPI_HYDRA_HOST_FILE": "mpi:",
            "OMPI_MCA_orte_rankfile": "mpi:",
            "PBS_NODEFILE": "mpi:",
            "PE_HOSTFILE": "mpi:",
        }
        for name, target in asked.items():
            for content in CONTENTS:
                for words in (("spec", target), ("spec", target, "--format", "json"), ("spec", target, "--log", "json"), ("wait", target),
                              ("doctor", target), ("doctor", target, "--format", "json")):
                    if words[0] == "doctor" and target == "mpi:":
                        continue
                    said = self.check(self.run_it(*words, *NOWHERE[:2], **BARE, **{name: content}, PMI_RANK="0", PMI_SIZE="2"), (name, words), content)
                    if words[0] == "spec" and words[-1] == target:
                        self.assertIn(name + " holds a file's content, not its path", said)
                        self.assertLess(len(said), 800)

    def test_variables_of_the_service_and_of_trust(self):
        for name in ("ROLLCALL_SERVER_TOKEN_FILE", "ROLLCALL_SERVER_CA", "SSL_CERT_FILE"):
            for content in CONTENTS:
                said = self.check(self.run_it("spec", "tpu:trainer,project=p,zone=us-central2-b", *NOWHERE, **BARE, ROLLCALL_ACCESS_TOKEN="token-of-a-test",
                                              ROLLCALL_SERVER="https://127.0.0.1:9", **{name: content}), name, content)
                self.assertIn(name + " holds a file's content, not its path", said)

    def test_options(self):
        for option in ("--token-file", "--ca", "--client-certificate", "--client-key", "--trace", "--metrics", "--targets-from"):
            for content in CONTENTS:
                said = self.check(self.run_it("spec", PODS, option, content), option, content)
                self.assertIn(f"{option}: the value holds a file's content, not its path", said)
        for words in (("sim",), ("serve", "--check", "--config"), ("sim", "--kubeconfig-out", "x", "--ca-out")):
            for content in CONTENTS:
                self.check(self.run_it(*words, content), words, content)

    def test_keys_of_targets(self):
        for target in ("kubernetes:x,job.w=a=b,kubeconfig=", "kubernetes:x,job.w=a=b,token_file=", "mpi:hostfile=", "file:"):
            for content in CONTENTS:
                for words in (("spec",), ("spec", "--format", "json"), ("spec", "--log", "json"), ("spec", "--partial"), ("wait",), ("status",), ("doctor",)):
                    self.check(self.run_it(*words, target + escaped(content), PMI_RANK="0", PMI_SIZE="2"), (target, words), content)
                self.check(self.run_it("spec", target + content), target, content)
                self.check(self.run_it("spec", ROLLCALL_TARGET=target + escaped(content)), target, content)

    def test_fields_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for content in CONTENTS:
                for entry, field in (("user", "tokenFile"), ("user", "client-key"), ("user", "client-certificate"), ("cluster", "certificate-authority")):
                    inner = {"user": {}, "cluster": {"server": "https://127.0.0.1:9"}}
                    inner[entry][field] = content
                    if field == "client-key":
                        inner["user"]["client-certificate"] = "c"
                    if field == "client-certificate":
                        inner["user"]["client-key"] = "k"
                    path = os.path.join(folder, "config")
                    with open(path, "w", encoding="utf-8") as file:
                        json.dump({"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                                   "clusters": [{"name": "k", "cluster": inner["cluster"]}], "users": [{"name": "u", "user": inner["user"]}]}, file)
                    for verb in ("spec", "doctor"):
                        said = self.check(self.run_it(verb, PODS, "--timeout", "2s", KUBECONFIG=path), field, content)
                    self.assertIn("holds a file's content, not its path", said)

    def test_fields_of_settings(self):
        with tempfile.NamedTemporaryFile("w") as file:
            for content in CONTENTS:
                for section, key in (("tls", "certificate"), ("tls", "key"), ("tls", "client_authorities"), ("lease", "password_file"), ("lease", "authorities")):
                    settings = {"tls": {"certificate": "/nowhere"}, "lease": {"etcd": ["https://127.0.0.1:9"]}}
                    settings[section][key] = content
                    file.seek(0)
                    file.truncate()
                    json.dump(settings, file)
                    file.flush()
                    self.check(self.run_it("serve", "--check", "--config", file.name), (section, key), content)

    def test_sessions(self):
        for option in ("token_file", "ca", "client_certificate", "client_key"):
            for content in CONTENTS:
                hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocol": 1, "options": {option: content}}}
                done = self.run_it("serve", "--stdio", stdin=json.dumps(hello) + "\n")
                self.check(done, option, content, may_answer=True)
                self.assertIn("holds a file's content, not its path", done.stdout)

    def test_a_token_file_where_a_list_belongs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "list")
            for content in (TOKEN, JWT, PEM, KEY_FILE, AWS, KUBECONFIG_AS_JSON, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content)
                for words in (("spec", "--targets-from", path), ("spec", "--targets-from", path, "--partial"), ("spec", f"file:{path}"),
                              ("spec", f"file:{path},port=1"), ("spec", f"file:{path},format=tfconfig"), ("spec", f"file:{path},format=cluster"),
                              ("spec", f"mpi:hostfile={path}"), ("sim", path), ("serve", "--check", "--config", path),
                              ("spec", f"{PODS},kubeconfig={path}"), ("status", f"file:{path}")):
                    done = self.run_it(*words, PMI_RANK="0", PMI_SIZE="2")
                    self.check(done, words, content, may_answer=words[-1].endswith("tfconfig"))  # other keys of TF_CONFIG are not ours


if __name__ == "__main__":
    unittest.main()
