#include "core/resource_id.hpp"

#include "core/text.hpp"

namespace rollcall {

bool is_resource_id(std::string_view text) noexcept {
  if (text.empty() || text.size() > 256 || text == "." || text == "..") return false;
  for (const char c : text) {
    if (!is_alnum(c) && c != '-' && c != '_' && c != '.' && c != ':') return false;
  }
  return true;
}

std::string_view last_segment(std::string_view name) noexcept { return name.substr(name.rfind('/') + 1); }  // npos + 1 is 0

}  // namespace rollcall
