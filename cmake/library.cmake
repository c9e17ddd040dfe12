# rollcall_core: values, documents and rules. Compiles without Asio, gRPC or coroutines.
# rollcall:      calls, connections, resolvers, waits and searches on top of it.
# rollcall_sim:  the simulated cloud.
# A room under src/ belongs to one of them; its sub-folders wire/ and rules/ belong to the core in any case.
set(core_rooms base programs cluster accelerator json launch whoami render metrics)
set(library_rooms async crypto call auth net google resolvers readiness devices discover doctor meeting preflight lease fleet webhook)
function(rollcall_sources result)
  set(sources)
  foreach(room ${ARGN})
    file(GLOB_RECURSE of_room CONFIGURE_DEPENDS src/${room}/*.cpp)
    list(APPEND sources ${of_room})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
rollcall_sources(core_sources ${core_rooms})
rollcall_sources(library_sources ${library_rooms})
rollcall_sources(protocol_sources command/session/wire)  # the rest of src/command is the command's
rollcall_sources(sim_sources sim)
set(pure_sources ${library_sources})
list(FILTER pure_sources INCLUDE REGEX "/(wire|rules)/[^/]*$")
list(FILTER library_sources EXCLUDE REGEX "/(wire|rules)/[^/]*$")
list(APPEND core_sources ${pure_sources} ${protocol_sources})

set(proto_dir ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${proto_dir})
set(proto_sources)
foreach(path src/cluster/cluster src/devices/wire/device src/fleet/xds/wire/xds)
  get_filename_component(proto ${path} NAME)
  get_filename_component(folder ${path} DIRECTORY)
  add_custom_command(
    OUTPUT ${proto_dir}/${proto}.pb.cc ${proto_dir}/${proto}.pb.h
    COMMAND protobuf::protoc --cpp_out=lite:${proto_dir} -I ${CMAKE_CURRENT_SOURCE_DIR}/${folder} -I ${CMAKE_CURRENT_SOURCE_DIR}/src/cluster
            ${proto}.proto
    DEPENDS ${path}.proto src/cluster/cluster.proto VERBATIM)
  list(APPEND proto_sources ${proto_dir}/${proto}.pb.cc)
endforeach()
add_library(rollcall_proto OBJECT ${proto_sources})
target_include_directories(rollcall_proto SYSTEM PUBLIC $<BUILD_INTERFACE:${proto_dir}>)
target_link_libraries(rollcall_proto PUBLIC protobuf::libprotobuf-lite PRIVATE rollcall_hardened)
set_target_properties(rollcall_proto PROPERTIES POSITION_INDEPENDENT_CODE ON)

# The page of the service is part of the library.
file(GLOB page_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/fleet/page/files/*)
string(REPLACE ";" "|" page_list "${page_files}")
add_custom_command(
  OUTPUT ${proto_dir}/page_files.cpp
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${proto_dir}/page_files.cpp "-DFILES=${page_list}" -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${page_files} cmake/embed.cmake VERBATIM)
list(APPEND library_sources ${proto_dir}/page_files.cpp)

function(rollcall_library name)
  if(NOT ARGN)
    set(ARGN ${CMAKE_CURRENT_SOURCE_DIR}/cmake/empty.cpp)
  endif()
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
                                     PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:rollcall_flags>)
  # Separate sections let a linker drop functions that a program does not use.
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  # Two thirds of a file's compile time are headers. Only for builds that run once: a missing include would not be seen.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${ROLLCALL_ONE_TIME} UNITY_BUILD_BATCH_SIZE 20)
endfunction()

rollcall_library(rollcall_core ${core_sources} $<TARGET_OBJECTS:rollcall_proto>)
target_include_directories(rollcall_core SYSTEM PRIVATE ${proto_dir})
target_link_libraries(rollcall_core PUBLIC fmt::fmt Boost::headers Boost::json protobuf::libprotobuf-lite PRIVATE rollcall_yaml)
# The compiler itself refuses the word "asio" in the core.
target_compile_options(rollcall_core PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/cmake/no_asio.hpp)

rollcall_library(rollcall ${library_sources})
target_link_libraries(rollcall PUBLIC rollcall_core rollcall_asio PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB rollcall_cares rollcall_nghttp2
                                                                  rollcall_grpc)

rollcall_library(rollcall_sim ${sim_sources})
target_link_libraries(rollcall_sim PUBLIC rollcall PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB rollcall_grpc)

add_library(rollcall::core ALIAS rollcall_core)
add_library(rollcall::rollcall ALIAS rollcall)
add_library(rollcall::sim ALIAS rollcall_sim)
