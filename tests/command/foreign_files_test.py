"""Files and links of another user in places where this user writes and reads."""
from support import *

OTHER = 65534
NODES = {"project": "p", "zone": "z"}


@unittest.skipIf(os.getuid() != 0, "only root gives files away")
class ForeignLinks(Command):
    """A link that another user has made in a shared folder is not followed, whether or not the kernel forbids it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.victim = os.path.join(folder.name, "victim")
        with open(self.victim, "w") as file:
            file.write("untouched")
        self.shared = os.path.join(folder.name, "shared")
        os.mkdir(self.shared)
        os.chmod(self.shared, 0o1777)
        self.link = os.path.join(self.shared, "link")
        os.symlink(self.victim, self.link)

    def write(self, path):
        cluster = "simple:job.worker=10.0.0.1:1"
        return [self.run_it("spec", cluster, "--metrics", path), self.run_it("hosts", cluster, "--output", path),
                self.run_it("spec", cluster, "--trace", path), self.run_it("topology", "v4-8", "--svg", path),
                self.run_it("flags", cluster, "--for", "deepspeed", "--slots", "1", "--task", "worker:0", "--hostfile", path)]

    def content(self):
        with open(self.victim) as file:
            return file.read()

    def test_of_another_user(self):
        os.chown(self.link, OTHER, OTHER, follow_symlinks=False)
        for done in self.write(self.link):
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("Permission denied", done.stderr)
        self.assertEqual(self.content(), "untouched")

    def test_behind_a_link_of_our_own(self):
        os.chown(self.link, OTHER, OTHER, follow_symlinks=False)
        own = os.path.join(os.path.dirname(self.victim), "own")
        os.symlink("shared/link", own)
        for done in self.write(own):
            self.assertIn("Permission denied", done.stderr)
        self.assertEqual(self.content(), "untouched")

    def test_of_our_own(self):
        for done in self.write(self.link):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(self.content(), "untouched")
            self.assertTrue(os.path.islink(self.link))

    def test_in_a_folder_of_its_owner(self):
        os.chmod(self.shared, 0o755)
        os.chown(self.shared, OTHER, OTHER)
        os.chown(self.link, OTHER, OTHER, follow_symlinks=False)
        self.assertEqual(self.run_it("hosts", "simple:job.worker=10.0.0.1:1", "--output", self.link).returncode, 0)


class ReplacedFiles(Command):
    def test_no_set_user_id_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            with open(path, "w"):
                pass
            os.chmod(path, 0o6755)
            done = self.run_it("hosts", "simple:job.worker=10.0.0.1:1", "--output", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.stat(path).st_mode & 0o7777, 0o755)


class Completions(Case):
    """Cached names of targets are used only from a file that no other user can have written."""
    cloud = CLOUD

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.caches = folder.name

    def complete(self, **variables):
        done = self.run_it("complete", "--", "spec", "tpu:", XDG_CACHE_HOME=self.caches, **variables)
        return [line.split("\t")[0] for line in done.stdout.splitlines() if line.startswith("tpu:")]

    def files(self):
        folder = os.path.join(self.caches, "rollcall")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def plant(self, *names):
        """As if a search had found these."""
        path, = self.files()
        with open(path) as file:
            question = file.readline()
        with open(path, "w") as file:
            file.write(question + "".join(name + "\n" for name in names))
        return path

    def test_kept_names(self):
        found = self.complete()
        self.assertTrue(found)
        path = self.plant("tpu:planted", "tpu:x;touch PWNED", "tpu:a b", "tpu:$(id)", "no target")
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        self.assertEqual(self.complete(), ["tpu:planted"])
        for mode in (0o602, 0o620, 0o666):
            os.chmod(self.plant("tpu:planted"), mode)
            self.assertEqual(self.complete(), found)

    def test_a_folder_for_all(self):
        found = self.complete()
        self.plant("tpu:planted")
        os.chmod(os.path.join(self.caches, "rollcall"), 0o777)
        self.assertEqual(self.complete(), found)

    @unittest.skipIf(os.getuid() != 0, "only root gives files away")
    def test_of_another_user(self):
        found = self.complete()
        os.chown(self.plant("tpu:planted"), OTHER, OTHER)
        self.assertEqual(self.complete(), found)
        self.plant("tpu:planted")
        os.chown(os.path.join(self.caches, "rollcall"), OTHER, OTHER)
        self.assertEqual(self.complete(), found)

    def test_each_account_and_each_way_has_its_own(self):
        self.complete()
        self.complete(ROLLCALL_ACCESS_TOKEN="token-of-another")
        self.complete(HTTPS_PROXY="http://user:hunter2@127.0.0.1:1")
        self.assertEqual(len(self.files()), 3)
        for path in self.files():
            with open(path) as file:
                text = file.read()
            self.assertNotIn("hunter2", text)
            self.assertNotIn("token-of-another", text)


if __name__ == "__main__":
    unittest.main()
