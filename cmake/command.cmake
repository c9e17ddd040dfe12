# The command: src/command/main.cpp over a library of the rest of src/command, which the tests link too.
rollcall_sources(command_sources command)
list(FILTER command_sources EXCLUDE REGEX "/(main\\.cpp|wire/[^/]*)$")

rollcall_library(rollcall_command_rooms ${command_sources})
target_link_libraries(rollcall_command_rooms PUBLIC rollcall rollcall_sim
                                     PRIVATE OpenSSL::Crypto ZLIB::ZLIB rollcall_cares rollcall_nghttp2 rollcall_grpc rollcall_yaml)  # --version asks all libraries
target_compile_definitions(rollcall_command_rooms PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")

include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
add_executable(rollcall_command src/command/main.cpp)
set_target_properties(rollcall_command PROPERTIES OUTPUT_NAME rollcall)
target_include_directories(rollcall_command PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(rollcall_command PRIVATE rollcall_command_rooms rollcall_flags)
# Its relocation tables are read-only when it runs, and its load address is random.
set_target_properties(rollcall_command PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_options(rollcall_command PRIVATE -Wl,--gc-sections -Wl,--as-needed -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
if(ROLLCALL_STATIC AND NOT ROLLCALL_SANITIZE)
  # Each shared library costs start-up: 2.8 ms of CPU with Debian's shared libraries, 0.9 ms with only libc shared.
  target_link_options(rollcall_command PRIVATE -static-libstdc++)
  if(ROLLCALL_PORTABLE)
    target_sources(rollcall_command PRIVATE cmake/portable.cpp)
    target_link_options(rollcall_command PRIVATE -Wl,-Map=${CMAKE_CURRENT_BINARY_DIR}/linked.map)  # from what, for the list of parts of a release
  else()
    # The static libgcc is of glibc 2.35 on, and the loader reads packed relocations from 2.36 on. For ARM, Debian 12's linker makes none.
    target_link_options(rollcall_command PRIVATE -static-libgcc)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      target_link_options(rollcall_command PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
  endif()
  if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
    target_sources(rollcall_command PRIVATE cmake/fmt_static.cpp)
  endif()
endif()
