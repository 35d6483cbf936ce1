# What `cmake --install` gives: the C++ library (component litz), litz-runtime alone (component runtime), the Python module
# (component python, used by the wheel).
include(CMakePackageConfigHelpers)

# liblitz.so: all layers; only what is marked LITZ_API can be seen.
if(TARGET litz_api)
  # Whole objects of the two layers that implement include/litz; the rest as needed.
  add_library(litz SHARED $<TARGET_OBJECTS:litz_api> $<TARGET_OBJECTS:litz_support>)
  add_library(litz::litz ALIAS litz)
  target_compile_features(litz INTERFACE cxx_std_20)
  target_include_directories(litz INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(litz PRIVATE litz_flags litz_api)
  target_link_options(litz PRIVATE -Wl,--exclude-libs,ALL)
  if(NOT LITZ_SANITIZE)  # the sanitizers' runtimes are in the program
    target_link_options(litz PRIVATE -Wl,--no-undefined)
  endif()
  litz_show_to_debuggers(litz)
  set_target_properties(litz PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  install(TARGETS litz EXPORT litzTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT litz)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/litz" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT litz
          FILES_MATCHING PATTERN "*.h")
  install(EXPORT litzTargets NAMESPACE litz:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/litz COMPONENT litz)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/litzConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/litzConfig.cmake.in" "${PROJECT_BINARY_DIR}/litzConfig.cmake" COPYONLY)
  install(FILES "${PROJECT_BINARY_DIR}/litzConfig.cmake" "${PROJECT_BINARY_DIR}/litzConfigVersion.cmake"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/litz COMPONENT litz)
endif()

# litz-runtime: static libraries and the headers of the layers they are made of; loads plans, needs no compiler.
if(TARGET litz_runtime)
  set(_targets)
  foreach(layer IN LISTS LITZ_RUNTIME_LAYERS)
    if(TARGET litz_${layer})
      list(APPEND _targets litz_${layer})
      target_include_directories(litz_${layer} INTERFACE "$<INSTALL_INTERFACE:include/litz-runtime>")
      install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${layer}" COMPONENT runtime
              DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/litz-runtime FILES_MATCHING PATTERN "*.h")
    endif()
  endforeach()
  install(TARGETS ${_targets} litz_fmt EXPORT litz-runtimeTargets COMPONENT runtime
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/litz/error.h include/litz/dtype.h include/litz/export.h COMPONENT runtime
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/litz-runtime/litz)
  install(EXPORT litz-runtimeTargets NAMESPACE litz:: COMPONENT runtime
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/litz-runtime)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/litz-runtimeConfig.cmake.in"
                 "${PROJECT_BINARY_DIR}/litz-runtimeConfig.cmake" COPYONLY)
  install(FILES "${PROJECT_BINARY_DIR}/litz-runtimeConfig.cmake" COMPONENT runtime
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/litz-runtime)
endif()
