# The packages that cpack makes of a portable build: the package rollcall and a tarball of the component `command`, the package
# librollcall-dev of `dev`.
# scripts/package builds, packs and checks.
set(CPACK_PACKAGE_NAME rollcall)
set(CPACK_PACKAGE_CONTACT "The maintainers of Rollcall <maintainers@rollcall.invalid>" CACHE STRING "Who is named as the packages' maintainer")
set(CPACK_PACKAGE_VENDOR "The Rollcall project")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command dev)
set(CPACK_PACKAGE_FILE_NAME rollcall-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pack_by_kind.cmake)

# These libraries are linked statically into the command. The licences of Asio, Boost and libstdc++ ask for no notice with programs.
set(notices "Rollcall's own licence, Apache-2.0, lies beside this file as LICENSE. The command contains parts of the following, in the state that Debian ships.\n")
foreach(package libgrpc-dev libprotobuf-dev libabsl-dev libre2-dev libc-ares-dev libnghttp2-dev libssl-dev zlib1g-dev libyaml-dev libfmt-dev)
  set(copyright /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${copyright})
    message(FATAL_ERROR "The packages carry the notices of what is linked into the command, but there is no ${copyright}: run ./scripts/packages package, or configure with -DROLLCALL_PORTABLE=OFF")
  endif()
  file(READ ${copyright} text)
  string(APPEND notices "\n\n==== ${package} ====\n\n${text}")
endforeach()
file(WRITE ${installed}/copyright "${notices}")
install(FILES ${installed}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rollcall COMPONENT command)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/librollcall-dev RENAME copyright COMPONENT dev)

# The archives were compiled against the headers of these. Of the ones with a version here another one does not fit: Asio's is checked by our
# headers, and the others' interfaces change with it.
set(needed)
foreach(package libasio-dev libgrpc++-dev libprotobuf-dev libfmt-dev)
  execute_process(COMMAND dpkg-query -W -f "\${Version}\n" ${package} OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  # Installed for two architectures it has two lines, of one version.
  string(REGEX REPLACE "[-+\n].*$" "" version "${version}")
  list(APPEND needed "${package} (>= ${version})" "${package} (<< ${version}.0~)")
endforeach()
set(boost ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR})
foreach(package libboost${boost}-dev libboost-json${boost}-dev libc-ares-dev libnghttp2-dev "libssl-dev (>= 3.0)" zlib1g-dev libyaml-dev)
  list(APPEND needed ${package})
endforeach()
list(JOIN needed ", " needed)

set(CPACK_DEB_COMPONENT_INSTALL ON)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # of the one toolchain that we have, cmake/arm64.cmake
endif()
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME rollcall)
set(CPACK_DEBIAN_COMMAND_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "The command rollcall finds the machines of a training job, waits until they
are ready, shows which are missing and why, and starts a program with what it
needs to know. A simulated cloud comes with it.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME librollcall-dev)
set(CPACK_DEBIAN_DEV_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${needed}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "rollcall (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, static archives, CMake package and pkg-config file of the C++20
library rollcall, with its simulated cloud for tests.")
include(CPack)
