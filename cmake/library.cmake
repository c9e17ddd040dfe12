# rollcall_core: core, parse, launch. Compiles without Asio, gRPC or coroutines.
# rollcall:      async, net, auth, resolve on top of it.
# rollcall_sim:  the simulated cloud.
file(GLOB core_sources CONFIGURE_DEPENDS src/core/*.cpp src/parse/*.cpp src/launch/*.cpp)
file(GLOB library_sources CONFIGURE_DEPENDS src/async/*.cpp src/net/*.cpp src/auth/*.cpp src/resolve/*.cpp)
file(GLOB sim_sources CONFIGURE_DEPENDS src/sim/*.cpp)

set(proto_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${proto_dir})
set(proto_sources)
foreach(proto cluster device)
  add_custom_command(
    OUTPUT ${proto_dir}/${proto}.pb.cc ${proto_dir}/${proto}.pb.h
    COMMAND protobuf::protoc --cpp_out=lite:${proto_dir} -I ${CMAKE_CURRENT_SOURCE_DIR}/src/parse/proto ${proto}.proto
    DEPENDS src/parse/proto/${proto}.proto VERBATIM)
  list(APPEND proto_sources ${proto_dir}/${proto}.pb.cc)
endforeach()
add_library(rollcall_proto OBJECT ${proto_sources})
target_include_directories(rollcall_proto SYSTEM PUBLIC $<BUILD_INTERFACE:${proto_dir}>)
target_link_libraries(rollcall_proto PUBLIC protobuf::libprotobuf-lite PRIVATE rollcall_hardened)
set_target_properties(rollcall_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)

function(rollcall_library name)
  if(NOT ARGN)
    set(ARGN ${CMAKE_CURRENT_SOURCE_DIR}/cmake/empty.cpp)
  endif()
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
                                     PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:rollcall_flags>)
  # Sections of their own let a linker drop what a program does not use.
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  # Two thirds of a file's compile time are headers. Only for builds that run once: a missing include would not be seen.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${ROLLCALL_ONE_TIME} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

rollcall_library(rollcall_core ${core_sources} $<TARGET_OBJECTS:rollcall_proto>)
target_include_directories(rollcall_core SYSTEM PRIVATE ${proto_dir})
target_link_libraries(rollcall_core PUBLIC fmt::fmt Boost::headers Boost::json protobuf::libprotobuf-lite PRIVATE rollcall_yaml)
# The compiler itself refuses the word "asio" in the core.
target_compile_options(rollcall_core PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/cmake/no_asio.hpp)

rollcall_library(rollcall ${library_sources})
target_link_libraries(rollcall PUBLIC rollcall_core rollcall_asio PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB rollcall_cares rollcall_grpc)

rollcall_library(rollcall_sim ${sim_sources})
target_link_libraries(rollcall_sim PUBLIC rollcall PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB rollcall_grpc)

add_library(rollcall::core ALIAS rollcall_core)
add_library(rollcall::rollcall ALIAS rollcall)
add_library(rollcall::sim ALIAS rollcall_sim)
