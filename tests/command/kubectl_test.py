"""The command under the name kubectl-rollcall, as kubectl starts it, against a simulated cluster; and its completion."""
import shutil

from support import *

COMPLETE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "packaging/kubectl_complete-rollcall")


class Plugin(Case):
    cloud = os.path.join(EXAMPLES, "kubernetes.json")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.plugin = os.path.join(cls.folder.name, "kubectl-rollcall")
        os.symlink(os.path.abspath(shutil.which(ROLLCALL)), cls.plugin)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def path(self):
        return self.folder.name + ":" + os.environ["PATH"]

    def plug(self, *words, program=None, **variables):
        return subprocess.run([program or self.plugin, *words], env=self.environment(PATH=self.path(), **variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)

    def setUp(self):
        super().setUp()
        ready = self.run_it("wait", "kubernetes:train/jobset/trainer,address=pod", "--timeout", "60s")
        self.assertEqual(ready.returncode, 0, ready.stderr)

    def test_a_workload_of_a_namespace(self):
        wanted = self.run_it("spec", "kubernetes:train/jobset/trainer,address=pod")
        self.assertEqual(wanted.returncode, 0, wanted.stderr)
        for words in (("spec", "jobset/trainer,address=pod"), ("-n", "train", "spec", "jobset/trainer,address=pod"),
                      ("spec", "jobset/trainer,address=pod", "--namespace=train", "--kubeconfig", self.sim.environment["KUBECONFIG"])):
            done = self.plug(*words)
            self.assertEqual((done.returncode, done.stdout), (0, wanted.stdout), done.stderr)
        other = self.plug("spec", "jobset/trainer", "-n", "elsewhere")
        self.assertEqual(other.returncode, 4, other.stderr)

    def test_the_other_words_are_those_of_the_command(self):
        self.assertEqual(self.plug("--version").stdout, self.run_it("--version").stdout)
        wrong = self.plug("spec", "jobset/trainer", "-n")
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "rollcall: -n needs a value\n"))
        self.assertEqual(self.run_it("spec", "jobset/trainer", "-n", "train").returncode, 2)

    def test_completion(self):
        done = self.plug("stat", program=COMPLETE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^status\t.*\n:4\n$")
        self.assertRegex(self.plug("wait", "--trace", "", program=COMPLETE).stdout, r"(?m)^:0$")
        self.assertRegex(self.plug("wait", "kub", program=COMPLETE).stdout, r"(?m)^kubernetes:.*\n(.*\n)*:6$")
        self.assertEqual(self.plug("nonsense", "", program=COMPLETE).stdout, ":4\n")

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_kubectl_finds_it(self):
        done = subprocess.run(["kubectl", "rollcall", "spec", "jobset/trainer,address=pod", "-n", "train"], env=self.environment(PATH=self.path()),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (0, self.run_it("spec", "kubernetes:train/jobset/trainer,address=pod").stdout), done.stderr)


if __name__ == "__main__":
    main()
