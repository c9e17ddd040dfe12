# Each bench/<name>.cpp is one program, bench_<name>.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  target_include_directories(bench_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/bench)
  target_link_libraries(bench_${name} PRIVATE rollcall rollcall_sim rollcall_harness_flags rollcall_grpc OpenSSL::SSL OpenSSL::Crypto)
endforeach()

# Only checks that the benches still work: --quick judges no time.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(ROLLCALL_TESTS AND TARGET rollcall_command AND Python3_FOUND)
  add_test(NAME bench COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/bench/driver --quick --out ${CMAKE_CURRENT_BINARY_DIR}/bench)
  set_tests_properties(bench PROPERTIES ENVIRONMENT "BENCH_BUILD=${CMAKE_CURRENT_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1" TIMEOUT 300)
endif()
