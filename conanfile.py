"""The Conan 2 recipe of the library (docs/install.md#conan). What the library needs comes from the system's packages, as `scripts/packages library`
lists them: the recipe brings no Asio, gRPC or Boost of Conan's."""
import pathlib
import platform
import re
import subprocess

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.6"


class Rollcall(ConanFile):
    name = "rollcall"
    description = "Finds the machines of a training cluster"
    license = "Apache-2.0"
    topics = ("tpu", "kubernetes", "cluster", "service-discovery", "asio")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    # The archives fit the libraries of the release that they were compiled on, so that its name is part of the package's.
    options = {"command": [True, False], "system": ["ANY"]}
    default_options = {"command": False}
    exports = "scripts/packages"
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"
    test_package_folder = "tests/install/conan"

    def set_version(self):
        text = pathlib.Path(self.recipe_folder, "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(rollcall VERSION ([0-9.]+)", text, re.M).group(1)

    def config_options(self):
        try:
            system = platform.freedesktop_os_release()
        except (AttributeError, OSError):
            system = {}
        self.options.system = "-".join(filter(None, [system.get("ID", "unknown"), system.get("VERSION_ID")]))

    def validate(self):
        check_min_cppstd(self, 20)

    def system_requirements(self):
        listed = subprocess.run(["bash", str(pathlib.Path(self.recipe_folder, "scripts/packages")), "--list", "demo" if self.options.command else "library"],
                                check=True, stdout=subprocess.PIPE, text=True).stdout
        Apt(self).install(listed.split(), update=True, check=True)

    def layout(self):
        self.folders.build = "build/conan"
        self.folders.generators = "build/conan_settings"

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for name, value in (("COMMAND", self.options.command), ("TESTS", False), ("FUZZ", False), ("INSTALL", True), ("ONE_TIME", True)):
            toolchain.cache_variables[f"ROLLCALL_{name}"] = bool(value)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for component in ["dev"] + ["command"] * bool(self.options.command):
            CMake(self).install(component=component)

    def package_info(self):
        # CMake finds the package that the project itself installs; all others are told what its pkg-config file says.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/rollcall"]
        told = pathlib.Path(self.package_folder, "lib/pkgconfig/rollcall.pc").read_text(encoding="utf-8")
        names = re.findall(r" -l(\S+)", told)
        self.cpp_info.libs = [name for name in names if name.startswith("rollcall")]
        self.cpp_info.system_libs = [name for name in names if not name.startswith("rollcall")] + ["pthread"]
        self.cpp_info.defines = re.findall(r" -D(\S+)", told)
