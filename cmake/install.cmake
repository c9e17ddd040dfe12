# cmake --install gives find_package(rollcall): rollcall::core, rollcall::rollcall, rollcall::sim, and the command.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rollcall)

set_target_properties(rollcall_core PROPERTIES EXPORT_NAME core)
set_target_properties(rollcall_sim PROPERTIES EXPORT_NAME sim)
set_target_properties(rollcall_asio PROPERTIES EXPORT_NAME asio)
set_target_properties(rollcall_cares PROPERTIES EXPORT_NAME cares)
set_target_properties(rollcall_grpc PROPERTIES EXPORT_NAME grpc)
set_target_properties(rollcall_yaml PROPERTIES EXPORT_NAME yaml)
install(TARGETS rollcall_core rollcall rollcall_sim rollcall_asio rollcall_cares rollcall_grpc rollcall_yaml EXPORT rollcallTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rollcallTargets NAMESPACE rollcall:: DESTINATION ${config_dir})
install(DIRECTORY include/rollcall DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN asio_version.hpp EXCLUDE)
# The installed headers know the Asio that the archives were compiled with.
file(STRINGS ${ROLLCALL_ASIO_INCLUDE}/asio/version.hpp asio_version REGEX "^#define ASIO_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+" asio_version "${asio_version}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/rollcall/asio_version.hpp)
file(READ include/rollcall/asio_version.hpp asio_check)
string(REPLACE "#define ROLLCALL_ASIO_VERSION ASIO_VERSION" "#define ROLLCALL_ASIO_VERSION ${asio_version}" asio_check "${asio_check}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/installed/asio_version.hpp CONTENT "${asio_check}" @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed/asio_version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rollcall)
if(TARGET rollcall_command)
  install(TARGETS rollcall_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/rollcallConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfig.cmake INSTALL_DESTINATION ${config_dir})
# Below 1.0 every minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/rollcallConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rollcallConfigVersion.cmake
        DESTINATION ${config_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
