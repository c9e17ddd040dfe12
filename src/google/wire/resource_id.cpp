#include "google/wire/resource_id.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {

bool is_resource_id(std::string_view text) noexcept {
  if (text.empty() || text.size() > 256 || text == "." || text == "..") return false;
  for (const char c : text) {
    if (!is_alnum(c) && c != '-' && c != '_' && c != '.' && c != ':') return false;
  }
  return true;
}

bool is_universe_domain(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 253 && text.find('.') != std::string_view::npos && text.front() != '.' && text.back() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '.' || c == '-'; });
}

std::string_view last_segment(std::string_view name) noexcept { return name.substr(name.rfind('/') + 1); }  // npos + 1 is 0

std::optional<ResourceName> ResourceName::parse(std::string_view text, std::string_view collection) {
  // Removes `key` and the slash after it.
  const auto skip = [&text](std::string_view key) {
    if (!text.starts_with(key) || text.size() == key.size() || text[key.size()] != '/') return false;
    text.remove_prefix(key.size() + 1);
    return true;
  };
  const auto take = [&text](std::string& part) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    part = text.substr(0, slash);
    text.remove_prefix(slash + 1);
    return true;
  };
  ResourceName name;
  if (!skip("projects") || !take(name.project) || !skip("locations") || !take(name.location) || !skip(collection)) return std::nullopt;
  name.id = text;
  return name;
}

}  // namespace rollcall
