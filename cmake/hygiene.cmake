# Tests of the repository itself: header closure, layers, coroutine spelling, manners, pages, commits, unusual environments, install-and-consume.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(hygiene ${CMAKE_CURRENT_SOURCE_DIR}/tests/hygiene)
set(no_cache ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1)

function(rollcall_hygiene name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS hygiene TIMEOUT 900)
endfunction()

# Once is enough: what does not depend on how the code was compiled is left to the plain build with the system's compiler.
if(NOT ROLLCALL_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  rollcall_hygiene(public_headers ${no_cache} ${Python3_EXECUTABLE} ${hygiene}/headers.py clang++-19 ${CMAKE_CXX_COMPILER})
  rollcall_hygiene(release_parts ${no_cache} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/install/release_test.py)
  foreach(check layers schemes spelling manners names guard printing descriptors pages page_files commits words chart_files)
    rollcall_hygiene(${check} ${no_cache} ${Python3_EXECUTABLE} ${hygiene}/${check}.py)
  endforeach()
endif()

if(TARGET rollcall_command AND NOT ROLLCALL_SANITIZE)
  # The hardening flags of optimised builds, checked in every build; and the libraries themselves in an optimised one.
  add_library(hardened_sample OBJECT tests/hygiene/hardened.cpp)
  target_compile_options(hardened_sample PRIVATE -O2 -fPIC ${rollcall_hardening})
  set(hardened $<TARGET_OBJECTS:hardened_sample>)
  foreach(library rollcall_core rollcall rollcall_command_rooms)
    list(APPEND hardened $<$<NOT:$<CONFIG:Debug>>:$<TARGET_FILE:${library}>>)
  endforeach()
  add_test(NAME binary COMMAND ${no_cache} ${Python3_EXECUTABLE} ${hygiene}/binary.py ${CMAKE_READELF} $<TARGET_FILE:rollcall_command> ${hardened}
           COMMAND_EXPAND_LISTS)
  set_tests_properties(binary PROPERTIES LABELS hygiene TIMEOUT 900)
  if(ROLLCALL_STATIC)
    rollcall_hygiene(portable ${no_cache} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/install/portable.py ${CMAKE_READELF}
                     $<TARGET_FILE:rollcall_command>)
  endif()
endif()

if(NOT ROLLCALL_SANITIZE)
  # The core alone: linked to nothing else, compiled with the word "asio" poisoned.
  add_executable(core_alone tests/install/core_consumer.cpp)
  target_link_libraries(core_alone PRIVATE rollcall_core rollcall_flags)
  target_compile_options(core_alone PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/cmake/no_asio.hpp)
  rollcall_hygiene(core_alone core_alone)

  # The tests that read the environment, settings files, times and numbers.
  set(programs)
  foreach(ring core call net resolvers command)
    list(APPEND programs $<TARGET_FILE:test_${ring}>)
  endforeach()
  rollcall_hygiene(odd_surroundings ${hygiene}/surroundings.sh ${programs})
  if(ROLLCALL_INSTALL)
    rollcall_hygiene(install_and_consume ${CMAKE_CURRENT_SOURCE_DIR}/tests/install/run.sh ${CMAKE_CURRENT_BINARY_DIR}
                     ${CMAKE_CURRENT_BINARY_DIR}/install_test ${CMAKE_CXX_COMPILER} clang++-19)
    # The Conan package of this build, where Conan is installed.
    rollcall_hygiene(conan ${CMAKE_CURRENT_SOURCE_DIR}/tests/install/conan.sh ${CMAKE_CURRENT_BINARY_DIR}/conan_test ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(conan PROPERTIES SKIP_RETURN_CODE 77)
    set_tests_properties(install_and_consume conan PROPERTIES RESOURCE_LOCK install)
  endif()
endif()
include(cmake/examples.cmake)

# Checks that the public interface is documented, where Doxygen is installed.
find_program(ROLLCALL_DOXYGEN doxygen)
if(ROLLCALL_DOXYGEN)
  add_test(NAME reference COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/reference)
endif()
