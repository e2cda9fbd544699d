# gedge_room(NAME [USES rooms...] [LIBRARIES libs...]): one object library a room, gedge_NAME.
#
# USES names the rooms directly below that it includes. The floors of the house are enforced
# twice: here by what the unit tests of a room link, and by tests/lint, which reads #include lines.
# A room without sources is a library of headers.
function(gedge_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;LIBRARIES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/libgedge/src/${name}/*.cpp ${PROJECT_SOURCE_DIR}/libgedge/src/${name}/*.c)
  set(used ${room_USES})
  list(TRANSFORM used PREPEND gedge_)
  if(sources)
    add_library(gedge_${name} OBJECT ${sources})
    target_include_directories(gedge_${name}
      PUBLIC ${PROJECT_SOURCE_DIR}/libgedge/include PRIVATE ${PROJECT_SOURCE_DIR}/libgedge/src)
    target_link_libraries(gedge_${name} PUBLIC ${used})
    set_property(GLOBAL APPEND PROPERTY GEDGE_ROOMS_WITH_SOURCES ${name})
  else()
    add_library(gedge_${name} INTERFACE)
    target_include_directories(gedge_${name} INTERFACE ${PROJECT_SOURCE_DIR}/libgedge/include)
    target_link_libraries(gedge_${name} INTERFACE ${used})
  endif()
  set_property(GLOBAL APPEND PROPERTY GEDGE_ROOMS ${name})
  set_property(GLOBAL PROPERTY GEDGE_ROOM_USES_${name} ${room_USES})
  set_property(GLOBAL PROPERTY GEDGE_ROOM_LIBRARIES_${name} ${room_LIBRARIES})
endfunction()

# gedge_rooms_below(OUT rooms...): these rooms and every room they stand on, each once.
function(gedge_rooms_below out)
  set(open ${ARGN})
  set(closed)
  while(open)
    list(POP_FRONT open room)
    if(NOT room IN_LIST closed)
      list(APPEND closed ${room})
      get_property(used GLOBAL PROPERTY GEDGE_ROOM_USES_${room})
      list(APPEND open ${used})
    endif()
  endwhile()
  set(${out} ${closed} PARENT_SCOPE)
endfunction()

# gedge_room_libraries(OUT rooms...): the outside libraries that these rooms call, each once.
function(gedge_room_libraries out)
  set(libraries)
  foreach(room IN LISTS ARGN)
    get_property(called GLOBAL PROPERTY GEDGE_ROOM_LIBRARIES_${room})
    list(APPEND libraries ${called})
  endforeach()
  list(REMOVE_DUPLICATES libraries)
  set(${out} ${libraries} PARENT_SCOPE)
endfunction()

# gedge_link_rooms(TARGET rooms...): the objects of these rooms and of all rooms below them.
function(gedge_link_rooms target)
  gedge_rooms_below(rooms ${ARGN})
  gedge_room_libraries(libraries ${rooms})
  list(TRANSFORM rooms PREPEND gedge_)
  target_link_libraries(${target} PRIVATE ${rooms} ${libraries})
endfunction()
