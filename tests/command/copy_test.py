"""`rollcall copy`: the command in another place."""
import shutil
import stat

from support import *


class Copy(Command):
    def test_the_copy_is_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for given, made in ((folder, "rollcall"), (folder + "/", "rollcall"), (os.path.join(folder, "other"), "other")):
                done = self.run_it("copy", given)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                made = os.path.join(folder, made)
                self.assertEqual(stat.S_IMODE(os.stat(made).st_mode), 0o755)
                copied = subprocess.run([made, "--version"], env=self.environment(), capture_output=True, text=True, check=True)
                self.assertEqual(copied.stdout, self.run_it("--version").stdout)
                self.assertEqual(os.path.getsize(made), os.path.getsize(shutil.which(ROLLCALL)))

    def test_where_it_cannot_be_written(self):
        done = self.run_it("copy", "/nowhere/at/all")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "rollcall: copy: cannot write '/nowhere/at/all': No such file or directory\n")
        self.assertEqual(self.run_it("copy").returncode, 2)


if __name__ == "__main__":
    main()
