# Options, each with a sentence. Developer extras default to "am I the top project?".
option(ROLLCALL_COMMAND "Build the rollcall command" ${PROJECT_IS_TOP_LEVEL})
option(ROLLCALL_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(ROLLCALL_FUZZ "Build the fuzz targets (a replay driver unless ROLLCALL_LIBFUZZER)" ${PROJECT_IS_TOP_LEVEL})
option(ROLLCALL_LIBFUZZER "Link the fuzz targets with Clang's libFuzzer instead of the replay driver" OFF)
option(ROLLCALL_BENCH "Build the benchmarks" OFF)
option(ROLLCALL_INSTALL "Generate install rules" ${PROJECT_IS_TOP_LEVEL})
option(ROLLCALL_WERROR "Treat warnings as errors, where the compiler is one of those that we use" OFF)
option(ROLLCALL_STATIC "Prefer static archives of the dependencies: the command then starts in about 2 ms instead of 10" ${PROJECT_IS_TOP_LEVEL})
option(ROLLCALL_PORTABLE "The command runs with an older glibc (2.34) than that of the machine that built it, for packages" OFF)
option(ROLLCALL_ONE_TIME "Compile for a single build, not for development: several files as one, headers precompiled" OFF)
set(ROLLCALL_SANITIZE "" CACHE STRING "Sanitizers for everything built here, such as address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(ROLLCALL_CCACHE ccache)
if(ROLLCALL_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ROLLCALL_CCACHE})
endif()

# Warnings and sanitizers for our own targets.
add_library(rollcall_flags INTERFACE)
target_compile_options(rollcall_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
if(ROLLCALL_WERROR AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 19)[.]")
  target_compile_options(rollcall_flags INTERFACE -Werror)
endif()
if(ROLLCALL_ONE_TIME)
  # Files compiled as one see each other's names: shadowing of a local name is still reported where the compiler can distinguish it.
  target_compile_options(rollcall_flags INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these in its own std::optional and std::variant at -O2.
  target_compile_options(rollcall_flags INTERFACE -Wno-maybe-uninitialized -Wno-mismatched-new-delete -Wno-restrict)
  if(ROLLCALL_ONE_TIME)
    # GCC takes a file that is included into a larger one for a header.
    target_compile_options(rollcall_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()
# Hardening: a programming error in our own code, or in a header that is compiled into it, ends the program instead of being exploitable.
# Only in optimised builds: FORTIFY needs that. Private to our own objects: users of the libraries decide for their own code.
set(rollcall_hardening -D_GLIBCXX_ASSERTIONS -fstack-protector-strong)
if(NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")  # a distribution's own level stays
  list(APPEND rollcall_hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
  list(APPEND rollcall_hardening -fstack-clash-protection -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND rollcall_hardening -fstack-clash-protection -mbranch-protection=standard)
endif()
add_library(rollcall_hardened INTERFACE)
if(NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_LIBFUZZER)
  target_compile_options(rollcall_hardened INTERFACE "$<$<NOT:$<CONFIG:Debug>>:${rollcall_hardening}>")
endif()
target_link_libraries(rollcall_flags INTERFACE rollcall_hardened)

# The same for programs that test and measure the libraries: in a Debug build, which optimises the libraries a little, these are not optimised.
# Compiling them takes longer than running them.
add_library(rollcall_harness_flags INTERFACE)
target_link_libraries(rollcall_harness_flags INTERFACE rollcall_flags)
if(NOT ROLLCALL_LIBFUZZER)
  target_compile_options(rollcall_harness_flags INTERFACE $<$<CONFIG:Debug>:-O0>)
endif()

if(ROLLCALL_SANITIZE)
  add_compile_options(-fsanitize=${ROLLCALL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ROLLCALL_SANITIZE})
  # At a fixed address, a program with AddressSanitizer has no relocation for each of its ten million shadow records: a quarter of
  # its size, and a third of the time it takes to start.
  if(NOT ROLLCALL_SANITIZE STREQUAL "thread")
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  # Programs with all of gRPC and two sanitizers: 15 s of CPU each by GNU ld, 3 by LLVM's. Only GNU ld writes the names of archive
  # members into the program, and cmake/tsan.supp knows gRPC's functions by them.
  find_program(ROLLCALL_LLD ld.lld PATHS /usr/lib/llvm-19/bin)
  if(ROLLCALL_LLD AND NOT ROLLCALL_SANITIZE STREQUAL "thread")
    get_filename_component(lld_folder ${ROLLCALL_LLD} DIRECTORY)
    add_link_options(-B${lld_folder} -fuse-ld=lld)
  endif()
endif()
if(ROLLCALL_LIBFUZZER)
  # Coverage feedback for everything built here; `fuzzer` itself (the main function) is linked into the targets only.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
