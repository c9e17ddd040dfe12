# Programs of tests, each for some rooms: tests/<room>/ has the tests of src/<room>/. Catch2 version 2, or 3 with the names of 2.
find_package(Catch2 REQUIRED)
add_library(rollcall_test_main STATIC tests/support/main.cpp)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_include_directories(rollcall_test_main PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/tests/support/catch3)
  target_link_libraries(rollcall_test_main PUBLIC Catch2::Catch2WithMain)
endif()
target_include_directories(rollcall_test_main PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/tests)
target_compile_definitions(rollcall_test_main PRIVATE ROLLCALL_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_features(rollcall_test_main PRIVATE cxx_std_20)
target_link_libraries(rollcall_test_main PUBLIC Catch2::Catch2)
# Catch2 itself is compiled without sanitizers: that saves 40 s, and its code is not ours.
target_compile_options(rollcall_test_main PRIVATE -O0 -fno-sanitize=all)

# rollcall_test_setup TARGET LIBRARY…: settings of all test programs, which are the same so that they can share precompiled headers.
function(rollcall_test_setup target)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE rollcall_harness_flags ${ARGN})
endfunction()

# rollcall_test NAME LIBRARIES ROOM…: test_NAME of all tests of these rooms. A room's drawers wire/ and rules/ are tested with the core.
function(rollcall_test ring libraries)
  # Threads are where programs of the library's users have them, as in the tests of async, and where gRPC is asked, as in the conformance
  # harness and by the command: the rest has nothing to race with.
  if(ROLLCALL_SANITIZE STREQUAL "thread" AND NOT ring STREQUAL "call")
    return()
  endif()
  set(sources)
  foreach(room ${ARGN})
    file(GLOB_RECURSE of_room CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/${room}/*.cpp)
    list(APPEND sources ${of_room})
  endforeach()
  if(ring MATCHES "^(core|memory)$")
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/tests/support/live_bytes.cpp)
  endif()
  if(ring STREQUAL "core")
    list(APPEND sources ${pure_tests})
  else()
    list(FILTER sources EXCLUDE REGEX "/(wire|rules)/[^/]*$")
  endif()
  add_executable(test_${ring} ${sources})
  rollcall_test_setup(test_${ring} rollcall_test_main ${${libraries}})
  # Saves half of the compile time: names are unique (tests/hygiene/names.py).
  set_target_properties(test_${ring} PROPERTIES UNITY_BUILD ${ROLLCALL_ONE_TIME} UNITY_BUILD_BATCH_SIZE 16)
  if(TARGET rollcall_command AND ring MATCHES "^(command|e2e)$")
    target_link_libraries(test_${ring} PRIVATE rollcall_command_rooms)
    add_dependencies(test_${ring} rollcall_command)
  elseif(ROLLCALL_ONE_TIME AND NOT ring STREQUAL "core")
    target_precompile_headers(test_${ring} REUSE_FROM rollcall_test_headers)
  endif()
  set(without)
  if(ROLLCALL_SANITIZE)
    # They run the same code as others, for minutes. With an exclusion Catch2 also runs hidden tests, unless they are excluded, too.
    list(APPEND without ~[long] ~[.])
  endif()
  add_test(NAME ${ring} COMMAND test_${ring} ${without})
  set_tests_properties(${ring} PROPERTIES TIMEOUT 900)
endfunction()

# The core's tests prove by linking that it needs nothing else; the others may use all of the library.
set(the_core rollcall_core)
set(all_of_it rollcall rollcall_sim OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB rollcall_cares rollcall_nghttp2)
if(ROLLCALL_ONE_TIME)
  add_library(rollcall_test_headers OBJECT cmake/empty.cpp)
  rollcall_test_setup(rollcall_test_headers rollcall_test_main ${all_of_it})
  target_precompile_headers(rollcall_test_headers PRIVATE <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <thread> <vector>
    <catch2/catch.hpp> <fmt/format.h> <asio/awaitable.hpp> <asio/co_spawn.hpp> <asio/io_context.hpp> <asio/ip/tcp.hpp> <asio/use_awaitable.hpp>
    <asio/use_future.hpp> <rollcall/resolver.hpp> <rollcall/runtime.hpp>)
endif()
file(GLOB_RECURSE pure_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cpp)
list(FILTER pure_tests INCLUDE REGEX "/(wire|rules)/[^/]*$")
file(GLOB_RECURSE discovery_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/fleet/xds/*.cpp)
set_source_files_properties(${discovery_tests} PROPERTIES COMPILE_OPTIONS "-isystem${proto_dir}")  # they read answers as clients do
rollcall_test(core the_core base programs cluster accelerator json launch whoami render metrics)
rollcall_test(call all_of_it async crypto call auth)
rollcall_test(net all_of_it net)
rollcall_test(resolvers all_of_it google resolvers readiness devices discover doctor)
rollcall_test(sim all_of_it sim)
rollcall_test(scenario all_of_it scenario)
rollcall_test(meeting all_of_it meeting preflight)
rollcall_test(lease all_of_it lease webhook)
rollcall_test(fleet all_of_it fleet)
rollcall_test(command all_of_it command)
rollcall_test(e2e all_of_it e2e)
rollcall_test(memory all_of_it memory)

# The command as a process against `rollcall sim`: one test per Python file, standard library only.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(TARGET rollcall_command AND Python3_FOUND)
  file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tests/command tests/command/*_test.py)
  foreach(script ${scripts})
    string(REPLACE "_test.py" "" name ${script})
    if(ROLLCALL_SANITIZE STREQUAL "thread" AND NOT name MATCHES "^(devices|exec|fleet|serve|wait)$")
      continue()
    endif()
    # Hundreds of programs, long waits, and measurements of memory: with sanitizers the test programs and fuzz_replay cover the same code.
    if(ROLLCALL_SANITIZE AND name MATCHES "^(hostile_text|launch_shells|memory|restart|secrets|serve_load|versions|words)$")
      continue()
    endif()
    add_test(NAME command_${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/command/${script})
    set_tests_properties(command_${name} PROPERTIES ENVIRONMENT "ROLLCALL=$<TARGET_FILE:rollcall_command>;PYTHONDONTWRITEBYTECODE=1" TIMEOUT 300)
  endforeach()
  if(TEST command_versions)
    set_tests_properties(command_versions PROPERTIES SKIP_RETURN_CODE 77)  # without a command of the last release
  endif()
endif()

# The Python package, over the command of this build. It needs a Python from 3.10 on with pytest; Debian's own has it by scripts/packages.
if(TARGET rollcall_command AND Python3_FOUND AND NOT ROLLCALL_SANITIZE)
  set(pytest_python ${Python3_EXECUTABLE})
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import pytest, sys; sys.exit(sys.version_info < (3, 10))" RESULT_VARIABLE no_pytest
                  OUTPUT_QUIET ERROR_QUIET)
  if(no_pytest)
    set(pytest_python /usr/bin/python3)
  endif()
  add_test(NAME python COMMAND ${pytest_python} -X dev -m pytest -q -rs WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/python)
  set_tests_properties(python PROPERTIES ENVIRONMENT "ROLLCALL_COMMAND=$<TARGET_FILE:rollcall_command>;PYTHONDONTWRITEBYTECODE=1" TIMEOUT 600)
endif()

# The JSON vectors, through the public API over real sockets; scripts/conformance runs other case files.
file(GLOB conformance_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance/*.cpp)
add_executable(conformance ${conformance_sources})
rollcall_test_setup(conformance ${all_of_it})
set_target_properties(conformance PROPERTIES UNITY_BUILD ${ROLLCALL_ONE_TIME} UNITY_BUILD_BATCH_SIZE 16)
if(ROLLCALL_ONE_TIME)
  target_precompile_headers(conformance REUSE_FROM rollcall_test_headers)
endif()
add_test(NAME conformance COMMAND conformance ${CMAKE_CURRENT_SOURCE_DIR}/tests/vectors ${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance/cases)
# The harness itself: cases that must pass, cases that must each fail for its own reason, and files that are not case files.
set(selftest ${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance/selftest)
add_test(NAME conformance_can_pass COMMAND conformance ${selftest}/must_pass.json)
add_test(NAME conformance_can_fail COMMAND conformance --must-fail ${selftest}/must_fail.json)
add_test(NAME conformance_can_refuse COMMAND ${selftest}/refuses $<TARGET_FILE:conformance> ${selftest}/malformed)
set_tests_properties(conformance conformance_can_pass conformance_can_fail conformance_can_refuse PROPERTIES TIMEOUT 300)

# Slurm's own tool folds and expands host lists as the library does.
add_executable(host_lists tests/interop/host_lists.cpp)
target_link_libraries(host_lists PRIVATE rollcall_core rollcall_harness_flags)
if(Python3_FOUND)
  add_test(NAME scontrol COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/interop/scontrol.py $<TARGET_FILE:host_lists> 2000)
  set_tests_properties(scontrol PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# Prints how the library reads a kubeconfig, for comparison with client-go: see tests/interop/kubeconfigs/run.
add_executable(kubeconfig_choice EXCLUDE_FROM_ALL tests/interop/kubeconfigs/choice.cpp)
rollcall_test_setup(kubeconfig_choice rollcall)
# Signs requests for AWS as botocore does: see tests/interop/credentials.
add_executable(sign_requests EXCLUDE_FROM_ALL tests/interop/sign_requests.cpp)
rollcall_test_setup(sign_requests rollcall)
# Verifies tokens as PyJWT does: see tests/interop/tokens.
add_executable(check_tokens EXCLUDE_FROM_ALL tests/interop/check_tokens.cpp)
rollcall_test_setup(check_tokens rollcall OpenSSL::Crypto)
add_executable(ask_http2 EXCLUDE_FROM_ALL tests/interop/ask_http2.cpp)
rollcall_test_setup(ask_http2 rollcall OpenSSL::SSL)
# Checks what followers of real services received: see tests/interop/fleet/etcd.
add_executable(check_followers EXCLUDE_FROM_ALL tests/interop/fleet/check_followers.cpp)
rollcall_test_setup(check_followers rollcall)
# A replica in the contest for a lease, alone: see tests/interop/fleet/lease.
add_executable(hold_lease EXCLUDE_FROM_ALL tests/interop/fleet/hold_lease.cpp)
rollcall_test_setup(hold_lease rollcall)

include(cmake/hygiene.cmake)

# The longest tests begin first, so that the run does not end with one of them alone.
foreach(name install_and_consume bench command_restart fleet command_hostile_text command_launch_shells command_serve_load odd_surroundings python)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endforeach()
