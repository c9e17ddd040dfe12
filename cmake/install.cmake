# What `cmake --install` installs, in two components: `command` (with its manual and completions) and `dev` (find_package(rollcall) with
# rollcall::core, rollcall::rollcall and rollcall::sim, and pkg-config's rollcall).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rollcall)
set(installed ${CMAKE_CURRENT_BINARY_DIR}/installed)

set_target_properties(rollcall_core PROPERTIES EXPORT_NAME core)
set_target_properties(rollcall_sim PROPERTIES EXPORT_NAME sim)
set_target_properties(rollcall_asio PROPERTIES EXPORT_NAME asio)
set_target_properties(rollcall_cares PROPERTIES EXPORT_NAME cares)
set_target_properties(rollcall_grpc PROPERTIES EXPORT_NAME grpc)
set_target_properties(rollcall_nghttp2 PROPERTIES EXPORT_NAME nghttp2)
set_target_properties(rollcall_yaml PROPERTIES EXPORT_NAME yaml)
install(TARGETS rollcall_core rollcall rollcall_sim rollcall_asio rollcall_cares rollcall_grpc rollcall_nghttp2 rollcall_yaml EXPORT rollcallTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(EXPORT rollcallTargets NAMESPACE rollcall:: DESTINATION ${config_dir} COMPONENT dev)
install(DIRECTORY include/rollcall DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev PATTERN asio_version.hpp EXCLUDE)
# The installed headers require the Asio version that the archives were compiled with.
file(STRINGS ${ROLLCALL_ASIO_INCLUDE}/asio/version.hpp asio_version REGEX "^#define ASIO_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+" asio_version "${asio_version}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/rollcall/asio_version.hpp)
file(READ include/rollcall/asio_version.hpp asio_check)
string(REPLACE "#define ROLLCALL_ASIO_VERSION ASIO_VERSION" "#define ROLLCALL_ASIO_VERSION ${asio_version}" asio_check "${asio_check}")
file(CONFIGURE OUTPUT ${installed}/asio_version.hpp CONTENT "${asio_check}" @ONLY)
install(FILES ${installed}/asio_version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rollcall COMPONENT dev)

configure_package_config_file(cmake/rollcallConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfig.cmake INSTALL_DESTINATION ${config_dir})
# Below 1.0 every minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/rollcallConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfigVersion.cmake
        DESTINATION ${config_dir} COMPONENT dev)

# For builds without CMake. The file finds the prefix by its own path, so the installation can be moved.
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
get_target_property(asio_definitions rollcall_asio INTERFACE_COMPILE_DEFINITIONS)
list(TRANSFORM asio_definitions PREPEND -D)
list(JOIN asio_definitions " " asio_definitions)
configure_file(cmake/rollcall.pc.in ${installed}/rollcall.pc @ONLY)
install(FILES ${installed}/rollcall.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(TARGET rollcall_command)
  install(TARGETS rollcall_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
  # kubectl finds its plug-in, and the plug-in's completion, by these names.
  file(MAKE_DIRECTORY ${installed})
  file(CREATE_LINK rollcall ${installed}/kubectl-rollcall SYMBOLIC)
  install(FILES ${installed}/kubectl-rollcall DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(PROGRAMS packaging/kubectl_complete-rollcall DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  # The command writes its own manual and completions. A cross build, whose command cannot run here, has none.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(ROLLCALL_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions; Debian's: share/zsh/vendor-completions")
    file(MAKE_DIRECTORY ${installed})
    add_custom_command(TARGET rollcall_command POST_BUILD
      COMMAND rollcall_command man > ${installed}/rollcall.1
      COMMAND rollcall_command completion bash > ${installed}/rollcall
      COMMAND rollcall_command completion zsh > ${installed}/_rollcall
      COMMAND rollcall_command completion fish > ${installed}/rollcall.fish
      BYPRODUCTS ${installed}/rollcall.1 ${installed}/rollcall ${installed}/_rollcall ${installed}/rollcall.fish)
    install(FILES ${installed}/rollcall.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES ${installed}/rollcall DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
    install(FILES ${installed}/_rollcall DESTINATION ${ROLLCALL_ZSH_COMPLETIONS} COMPONENT command)
    install(FILES ${installed}/rollcall.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
  endif()
  if(ROLLCALL_PORTABLE)
    include(cmake/pack.cmake)
  endif()
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
endif()
