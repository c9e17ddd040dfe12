# Each examples/<name>.cpp is a program, example_<name>. The test runs them, and the commands of pages, against the simulated
# cloud of examples/demo.json, and compares what they print with examples/<name>.out and the pages. It runs each examples/<name>.sh, too.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.cpp)
set(example_programs)
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE rollcall rollcall_sim rollcall_flags)
  list(APPEND example_programs $<TARGET_FILE:example_${name}>)
endforeach()
if(TARGET rollcall_command)
  rollcall_hygiene(examples ${no_cache} ${Python3_EXECUTABLE} ${hygiene}/examples.py $<TARGET_FILE:rollcall_command> ${example_programs})
endif()
