# What `cmake --install` puts where: library, headers, package files, command, pages, completions.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gedge)
install(TARGETS gedge EXPORT gedgeTargets)
install(EXPORT gedgeTargets NAMESPACE gedge:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gedgeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/gedgeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/gedgeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/gedgeConfig.cmake
  ${PROJECT_BINARY_DIR}/package/gedgeConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config without --static hides Libs.private, so a static build names its libraries outright.
get_property(libraries GLOBAL PROPERTY GEDGE_LINK_LIBRARIES)
list(TRANSFORM libraries PREPEND -l)
list(JOIN libraries " " GEDGE_PC_OUTSIDE)
set(GEDGE_PC_LIBS "-lgedge ${GEDGE_PC_OUTSIDE}")
set(GEDGE_PC_LIBS_PRIVATE "")
if(BUILD_SHARED_LIBS)
  set(GEDGE_PC_LIBS "-lgedge")
  set(GEDGE_PC_LIBS_PRIVATE ${GEDGE_PC_OUTSIDE})
endif()
file(RELATIVE_PATH GEDGE_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/gedge.pc.in ${PROJECT_BINARY_DIR}/package/gedge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/gedge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/libgedge/include/gedge TYPE INCLUDE
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libgedge/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/gedge
  OPTIONAL FILES_MATCHING PATTERN "*.json")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libgedge/manifests
  DESTINATION ${CMAKE_INSTALL_DATADIR}/gedge)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)

if(TARGET gedge_cli)
  install(TARGETS gedge_cli)
  foreach(section IN ITEMS 1 3 5 7)
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.${section})
    if(pages)
      install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/completions/gedge.bash RENAME gedge OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/_gedge OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/gedge.fish OPTIONAL
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
