"""Files that others on this machine can change, or read: a warning if such a file names a program or a server, or holds a secret."""
import shlex

from serve_client import *

CLUSTER = {"kubernetes": {"namespace": "train", "users": [{"name": "launcher", "token": "launcher-token"}],
                          "pods": [{"name": "a-{i}", "count": 2, "labels": {"app": "a"}, "host_ips": ["10.1.0.2"]}]}}
TARGET = "kubernetes:train,job.worker=app=a"
CREDENTIAL = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"launcher-token"}}'
OTHER = 65534


class DecisiveFiles(Command):
    def setUp(self):
        self.simulate(CLUSTER)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def kubeconfig(self, user, mode=0o600):
        with open(self.sim.environment["KUBECONFIG"]) as file:
            text = re.sub(r"(?m)^    token: .*$", "    " + user, file.read())
        return self.write("config", text, mode)

    def plugin(self, mode=0o600):
        self.write("plugin", f"#!/bin/sh\necho '{CREDENTIAL}'\n", 0o700)
        return self.kubeconfig("exec: {apiVersion: client.authentication.k8s.io/v1, command: " + self.folder +
                               "/plugin, interactiveMode: Never}", mode)

    def warnings(self, *words, **variables):
        done = self.run_it("spec", *(words or (TARGET,)), **variables)
        self.assertIn("10.1.0.2", done.stdout, done.stderr)
        return re.findall("warning: .*", done.stderr)

    def warned(self, what, *words, **variables):
        reported = self.warnings(*words, **variables)
        self.assertEqual(len(reported), 1, reported)
        self.assertIn(what, reported[0])

    def test_a_kubeconfig_that_others_can_write(self):
        self.assertEqual(self.warnings(KUBECONFIG=self.plugin()), [])
        self.assertEqual(self.warnings(KUBECONFIG=self.plugin(0o700)), [])
        for mode in (0o602, 0o622, 0o662):
            self.warned("and all users can write it", KUBECONFIG=self.plugin(mode))
            self.warned("and all users can write it", f"{TARGET},kubeconfig={self.plugin(mode)}", KUBECONFIG="/dev/null")

    @unittest.skipIf(os.getuid() != 0, "only root gives files away")
    def test_a_kubeconfig_of_a_group_or_of_another_user(self):
        path = self.plugin(0o620)
        self.assertEqual(self.warnings(KUBECONFIG=path), [])  # the group of the owner's own number
        os.chown(path, 0, OTHER)
        self.warned("and users of its group can write it", KUBECONFIG=path)
        os.chown(path, OTHER, OTHER)
        os.chmod(path, 0o600)
        self.warned(f"and it belongs to user {OTHER}", KUBECONFIG=path)

    def test_a_folder_that_others_can_write(self):
        path = self.plugin()
        os.chmod(self.folder, 0o777)
        self.warned(f"and all users can write the folder '{self.folder}'", KUBECONFIG=path)
        os.chmod(self.folder, 0o1777)  # as /tmp: each file is its owner's
        self.assertEqual(self.warnings(KUBECONFIG=path), [])

    def test_a_link_in_a_folder_that_others_can_write(self):
        path = self.plugin()
        with tempfile.TemporaryDirectory() as other:
            os.symlink(path, os.path.join(other, "config"))
            os.chmod(other, 0o777)
            self.warned("can write the folder", KUBECONFIG=os.path.join(other, "config"))

    def test_a_credential_file(self):
        account = {"type": "external_account", "audience": "//iam.googleapis.com/x", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                   "token_url": "https://127.0.0.1:1/token", "credential_source": {"executable": {"command": "/bin/false"}}}
        path = self.write("account.json", json.dumps(account), 0o606)
        done = self.run_it("spec", "tpu:n,project=p,zone=z", "--retries", "0", GOOGLE_APPLICATION_CREDENTIALS=path,
                           GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES="1")
        self.assertIn("and all users can write it", done.stderr)

    def test_options(self):
        targets = self.write("targets", TARGET + "\n", 0o622)
        self.warned("and all users can write it", "--targets-from", targets)
        authorities = self.write("ca.pem", "none", 0o602)
        done = self.run_it("spec", "simple:job.worker=10.0.0.1:1", SSL_CERT_FILE=authorities)
        self.assertIn("and all users can write it", done.stderr)

    def test_the_doctor_tells(self):
        for mode in (0o602, 0o620, 0o622):
            path = self.plugin(mode)
            if os.getuid() == 0:
                os.chown(path, 0, OTHER)
            done = self.run_it("doctor", TARGET, "--format", "json", KUBECONFIG=path)
            reported = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "file mode"]
            self.assertEqual([check["outcome"] for check in reported][:1], ["warning"], done.stdout)
            self.assertIn("can write it", reported[0]["found"])

    def test_secrets_that_others_can_read(self):
        reported = "holds a secret and can be read by others"
        token = self.write("token", "launcher-token", 0o644)
        self.warned(f"token' {reported}", KUBECONFIG=self.kubeconfig("tokenFile: " + token))
        self.warned(f"token' {reported}", KUBECONFIG=self.kubeconfig("tokenFile: " + token, 0o644))  # the kubeconfig holds none
        self.assertEqual(self.warnings(KUBECONFIG=self.plugin(0o644)), [])
        for user in ("token: launcher-token", "{token: launcher-token}", '{"token": "launcher-token"}'):
            self.warned(f"config' {reported}", KUBECONFIG=self.kubeconfig(user, 0o644))
        self.warned(f"token' {reported}", f"{TARGET},token_file={token}")
        self.warned(f"token' {reported}", TARGET, "--token-file", token)

    def test_a_kubeconfig_that_a_list_of_targets_names(self):
        config = self.kubeconfig("token: launcher-token", 0o644)
        targets = self.write("targets", f"{TARGET},kubeconfig={config}\n")
        self.warned("config' holds a secret and can be read by others", "--targets-from", targets, KUBECONFIG="/dev/null")

    def test_keys(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", self.folder + "/key", "-out",
                        self.folder + "/pem"], check=True, stderr=subprocess.DEVNULL)
        os.chmod(self.folder + "/key", 0o644)
        done = self.run_it("spec", "simple:job.worker=10.0.0.1:1", "--client-certificate", self.folder + "/pem", "--client-key", self.folder + "/key")
        self.assertIn("key' holds a secret and can be read by others", done.stderr)
        self.warned("key' holds a secret", KUBECONFIG=self.kubeconfig("{token: launcher-token, client-certificate: pem, client-key: key}"))

    def test_a_session_is_reported(self):
        child = Child(self.environment(KUBECONFIG=self.plugin(0o602)))
        self.addCleanup(child.close)
        child.ask(request(0, "initialize", protocol=1, options={"log": "warnings"}))
        self.assertIn("result", child.ask(request(1, "resolve", targets=[TARGET])))
        self.assertIn("all users can write it", json.dumps(child.reported))

    def test_a_kubeconfig_of_the_simulation_is_closed(self):
        path = self.write("old", "", 0o644)
        reader = open(path)
        self.addCleanup(reader.close)
        self.simulate(CLUSTER, "--kubeconfig-out", path)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        self.assertEqual(reader.read(), "")  # a process that opened it before would read the secret


if __name__ == "__main__":
    unittest.main()
