// The files of the page, which are part of the program: cmake/embed.cmake generates the table from src/fleet/page/files.
#pragma once

#include <span>
#include <string_view>

namespace rollcall::fleet {

class PageFile {
 public:
  std::string_view name;  ///< `page.js`
  std::string_view type;  ///< the Content-Type
  std::string_view etag;  ///< in quotes
  std::string_view text;
};

std::span<const PageFile> page_files() noexcept;

}  // namespace rollcall::fleet
