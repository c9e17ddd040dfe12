"""Every signal that ends the command also ends the processes that it has started."""
from support import *

CLUSTER = {"kubernetes": {"namespace": "train", "users": [{"name": "launcher", "token": "launcher-token"}], "pods": []}}
PLUGIN = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}"
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class LastSignals(Command):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o600):
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def fifo(self):
        """A pipe that the started processes hold: it ends with the last of them."""
        path = self.path("alive")
        if os.path.exists(path):
            os.unlink(path)
        os.mkfifo(path)
        return path

    def until_started(self, path):
        reader = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0)
        self.addCleanup(reader.close)
        ready, _, _ = select.select([reader], [], [], PATIENCE)
        self.assertTrue(ready, "it was not started")
        self.assertEqual(reader.read(8), b"started\n")
        return reader

    def until_ended(self, reader):
        ready, _, _ = select.select([reader], [], [], PATIENCE)
        self.assertTrue(ready, "what was started is running")
        self.assertEqual(reader.read(1), b"")

    def test_of_a_hook(self):
        cluster = self.write("cluster.json", '{"worker": ["10.0.0.1:1"]}')
        for number in ENDS:
            path = self.fifo()
            process = self.begin("watch", "file:" + cluster, "--exec", f"exec >{path}; echo started; exec sleep 967")
            reader = self.until_started(path)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 130)
            self.until_ended(reader)

    def plugged(self, script):
        self.simulate(CLUSTER)
        with open(self.sim.environment["KUBECONFIG"]) as file:
            text = re.sub(r"(?m)^    token: .*$", "    " + PLUGIN, file.read())
        self.write("plugin", "#!/bin/sh\n" + script, 0o700)
        return {"KUBECONFIG": self.write("config", text)}

    def test_of_a_plugin(self):
        for number in ENDS:
            path = self.fifo()
            config = self.plugged(f"exec >{path}; echo started; exec sleep 967")
            process = self.begin("wait", "kubernetes:train,job.w=a=b", "--timeout", "10m", **config)
            reader = self.until_started(path)
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 130)
            self.until_ended(reader)

    def test_the_second_signal_of_a_plugin_that_takes_none(self):
        for number in ENDS:
            path = self.fifo()
            config = self.plugged(f"exec >{path}; trap 'echo heard' TERM; echo started; while :; do sleep 967 & wait; done")
            process = self.begin("wait", "kubernetes:train,job.w=a=b", "--timeout", "10m", **config)
            reader = self.until_started(path)
            process.send_signal(number)
            self.assertTrue(select.select([reader], [], [], PATIENCE)[0])
            self.assertEqual(reader.read(6), b"heard\n")
            process.send_signal(number)
            self.assertIn(process.wait(PATIENCE), (130, -number))
            self.until_ended(reader)

    def test_of_a_session(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            path = self.fifo()
            config = self.plugged(f"trap '' TERM; exec >{path}; echo started; exec sleep 967")
            child = subprocess.Popen([ROLLCALL, "serve", "--stdio"], env=self.environment(**config), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
            self.addCleanup(self.end, child)
            child.stdin.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocol":1}}\n'
                              b'{"jsonrpc":"2.0","id":1,"method":"resolve","params":{"targets":["kubernetes:train,job.w=a=b"],"timeout":500}}\n')
            child.stdin.flush()
            reader = self.until_started(path)
            child.send_signal(number)
            self.assertEqual(child.wait(PATIENCE), 0)
            self.until_ended(reader)

    def test_nohup_is_obeyed(self):
        cluster = self.write("cluster.json", '{"worker": ["10.0.0.1:1"]}')
        path = self.fifo()
        process = subprocess.Popen([ROLLCALL, "watch", "file:" + cluster, "--exec", f"exec >{path}; echo started; exec sleep 967"],
                                   env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(self.end, process)
        reader = self.until_started(path)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 130)
        self.until_ended(reader)


if __name__ == "__main__":
    unittest.main()
