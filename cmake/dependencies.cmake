# Third-party libraries. Debian's standalone Asio brings neither a CMake package nor a pkg-config file.
if(ROLLCALL_STATIC)
  set(Boost_USE_STATIC_LIBS ON)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
  set(rollcall_library_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)  # Boost's own package; CMake's module is deprecated
endif()
find_package(Boost 1.81 REQUIRED COMPONENTS json)

find_path(ROLLCALL_ASIO_INCLUDE asio.hpp REQUIRED)
find_path(ROLLCALL_CARES_INCLUDE ares.h REQUIRED)
find_library(ROLLCALL_CARES_LIBRARY cares REQUIRED)
find_path(ROLLCALL_NGHTTP2_INCLUDE nghttp2/nghttp2.h REQUIRED)
find_library(ROLLCALL_NGHTTP2_LIBRARY nghttp2 REQUIRED)
find_path(ROLLCALL_YAML_INCLUDE yaml.h REQUIRED)
find_library(ROLLCALL_YAML_LIBRARY yaml REQUIRED)
# Debian's package of gRPC knows the shared libraries only, though the archives are there.
find_path(ROLLCALL_GRPC_INCLUDE grpcpp/grpcpp.h REQUIRED)
foreach(library grpc++ grpc address_sorting re2 gpr)
  string(MAKE_C_IDENTIFIER ROLLCALL_LIBRARY_${library} variable)
  find_library(${variable} ${library} REQUIRED)
  string(REGEX REPLACE "^grpc$" "grpc_c" name ${library})
  add_library(rollcall_${name} UNKNOWN IMPORTED)
  set_target_properties(rollcall_${name} PROPERTIES IMPORTED_LOCATION ${${variable}})
endforeach()

if(ROLLCALL_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${rollcall_library_suffixes})
endif()

add_library(rollcall_asio INTERFACE)
target_include_directories(rollcall_asio SYSTEM INTERFACE $<BUILD_INTERFACE:${ROLLCALL_ASIO_INCLUDE}>)
# Asio 1.22 with Clang and libstdc++ does not detect C++20 coroutines by itself (chriskohlhoff/asio issue 939). Whether it uses
# aligned_alloc depends on headers included before it, so that one file could free with `free` a block that another allocated with `new`.
target_compile_definitions(rollcall_asio INTERFACE ASIO_STANDALONE ASIO_NO_DEPRECATED ASIO_HAS_CO_AWAIT=1 ASIO_HAS_STD_COROUTINE=1
                                                   ASIO_HAS_STD_ALIGNED_ALLOC=1)
target_link_libraries(rollcall_asio INTERFACE Threads::Threads)

add_library(rollcall_cares INTERFACE)
target_include_directories(rollcall_cares SYSTEM INTERFACE $<BUILD_INTERFACE:${ROLLCALL_CARES_INCLUDE}>)
target_link_libraries(rollcall_cares INTERFACE $<BUILD_INTERFACE:${ROLLCALL_CARES_LIBRARY}> $<INSTALL_INTERFACE:cares>)

add_library(rollcall_nghttp2 INTERFACE)
target_include_directories(rollcall_nghttp2 SYSTEM INTERFACE $<BUILD_INTERFACE:${ROLLCALL_NGHTTP2_INCLUDE}>)
target_link_libraries(rollcall_nghttp2 INTERFACE $<BUILD_INTERFACE:${ROLLCALL_NGHTTP2_LIBRARY}> $<INSTALL_INTERFACE:nghttp2>)

add_library(rollcall_yaml INTERFACE)
target_include_directories(rollcall_yaml SYSTEM INTERFACE $<BUILD_INTERFACE:${ROLLCALL_YAML_INCLUDE}>)
target_link_libraries(rollcall_yaml INTERFACE $<BUILD_INTERFACE:${ROLLCALL_YAML_LIBRARY}> $<INSTALL_INTERFACE:yaml>)

add_library(rollcall_grpc INTERFACE)
target_include_directories(rollcall_grpc SYSTEM INTERFACE $<BUILD_INTERFACE:${ROLLCALL_GRPC_INCLUDE}>)
# Abseil's package names its shared libraries, each of which costs start-up; the archives refer to one another in circles. upb, whose archives have
# other names in each version of gRPC, does not matter where gRPC is shared.
get_filename_component(archives ${ROLLCALL_LIBRARY_gpr} DIRECTORY)
file(GLOB absl_archives ${archives}/libabsl_*.a)
if(ROLLCALL_STATIC AND absl_archives)
  file(GLOB upb_archives ${archives}/libupb*.a ${archives}/libutf8_*.a)
  target_link_libraries(rollcall_gpr INTERFACE -Wl,--start-group ${upb_archives} ${absl_archives} -Wl,--end-group ${CMAKE_DL_LIBS})
else()
  find_package(absl REQUIRED CONFIG)
  target_link_libraries(rollcall_gpr INTERFACE absl::base absl::cord absl::flat_hash_map absl::hash absl::random_random absl::status absl::statusor
                                               absl::str_format absl::strings absl::synchronization absl::time absl::variant ${CMAKE_DL_LIBS})
endif()
target_link_libraries(rollcall_grpc_c INTERFACE rollcall_address_sorting rollcall_re2 rollcall_gpr rollcall_cares OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB)
target_link_libraries(rollcall_grpc++ INTERFACE rollcall_grpc_c)
# Optimised, gRPC's headers leave calls of Abseil's locks in what is compiled with them, and the linker takes no library through another.
target_link_libraries(rollcall_grpc INTERFACE "$<BUILD_INTERFACE:rollcall_grpc++>" "$<INSTALL_INTERFACE:grpc++;grpc;gpr;absl_synchronization>")
