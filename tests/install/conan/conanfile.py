"""A user's program, examples/installed, built against the Conan package and run."""
import os
import pathlib

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain


class Consumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        self.folders.build = os.environ.get("ROLLCALL_CONAN_SCRATCH", "../../../build/conan_consumer")
        self.folders.generators = self.folders.build + "/generators"

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="../../../examples/installed")
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f"{pathlib.Path(self.build_folder, 'hello')} simple:job.worker=10.0.0.1:8470", env="conanrun")
