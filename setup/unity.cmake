# Compiles the generated sources in few large units, or with their headers compiled first where units cannot be joined: a
# third of the time, the same libraries. Only those whose generated sources bear it. Setup puts this in for the pinned wheels
# alone, since a later generator's sources may not.
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL rstate_join_sources)

macro(rstate_join_sources)
  foreach(kind typesupport_c typesupport_cpp typesupport_fastrtps_c typesupport_fastrtps_cpp typesupport_introspection_c
      generator_py)
    set_target_properties(${PROJECT_NAME}__rosidl_${kind} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endforeach()
  target_precompile_headers(${PROJECT_NAME}__rosidl_typesupport_introspection_cpp PRIVATE
    <array> <cstddef> <cstdint> <memory> <string> <vector>
    <rosidl_typesupport_introspection_cpp/field_types.hpp>
    <rosidl_typesupport_introspection_cpp/message_introspection.hpp>
    <rosidl_typesupport_introspection_cpp/service_introspection.hpp>
    <rosidl_runtime_cpp/bounded_vector.hpp> <rosidl_runtime_cpp/message_initialization.hpp>)
endmacro()
