# embed.cmake: writes the files of the page into a C++ source, so that a program needs no files beside it. Run with -P by the build:
#   cmake -DOUTPUT=FILE -DFILES=a|b -P embed.cmake
string(REPLACE "|" ";" files "${FILES}")
set(types_js "text/javascript; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_svg "image/svg+xml")
set(rows "")
foreach(path IN LISTS files)
  file(READ "${path}" text)
  file(SHA256 "${path}" hash)
  string(SUBSTRING "${hash}" 0 20 hash)
  get_filename_component(name "${path}" NAME)
  get_filename_component(extension "${path}" LAST_EXT)
  string(SUBSTRING "${extension}" 1 -1 extension)
  string(LENGTH "${text}" length)
  if(length GREATER 60000 OR NOT DEFINED types_${extension} OR text MATCHES "\\)PAGE\"")
    message(FATAL_ERROR "${path}: larger than a literal may be, of an unknown type, or with )PAGE\" in it")
  endif()
  string(APPEND rows "    {\"${name}\", \"${types_${extension}}\", \"\\\"${hash}\\\"\", R\"PAGE(${text})PAGE\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by cmake/embed.cmake.
#include \"fleet/page/page_files.hpp\"

namespace rollcall::fleet {
namespace {

constexpr PageFile page_file_table[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() noexcept { return page_file_table; }

}  // namespace rollcall::fleet
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
