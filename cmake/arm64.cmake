# A toolchain file: compiles for 64-bit ARM on another machine, with Debian's cross compiler and the arm64 libraries that `scripts/packages arm64`
# installs beside the machine's own. Debian keeps libraries by architecture and shares the headers, so that no root of its own is needed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# CMake looks first where pkg-config says, which by itself names this machine's libraries.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# If QEMU is installed, it runs the built command, which writes its manual and completions itself.
find_program(ROLLCALL_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(ROLLCALL_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ROLLCALL_QEMU})
endif()
