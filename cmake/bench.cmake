# Each bench/<name>.cpp is one program, bench_<name>.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  target_include_directories(bench_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/bench)
  target_link_libraries(bench_${name} PRIVATE rollcall rollcall_sim rollcall_flags rollcall_grpc OpenSSL::SSL OpenSSL::Crypto)
endforeach()
