# Compiles each of the generated type supports in few large units: half the time, the same libraries. Only those whose
# generated sources bear it. Setup puts this in for the pinned wheels alone, since a later generator's sources may not.
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL rstate_join_sources)

macro(rstate_join_sources)
  foreach(kind c cpp fastrtps_c fastrtps_cpp introspection_c)
    set_target_properties(${PROJECT_NAME}__rosidl_typesupport_${kind} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endforeach()
endmacro()
