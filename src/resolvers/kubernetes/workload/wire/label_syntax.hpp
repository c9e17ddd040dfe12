// What Kubernetes accepts as a label, as far as it matters to a selector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {

inline bool is_label_text(std::string_view text, std::string_view more, std::size_t most) {
  return text.size() <= most &&
         std::all_of(text.begin(), text.end(), [more](char c) { return is_alnum(c) || more.find(c) != std::string_view::npos; });
}

inline bool is_label_key(std::string_view key) { return !key.empty() && is_label_text(key, "-_./", 317); }
/// True also of an empty value.
inline bool is_label_value(std::string_view value) { return is_label_text(value, "-_.", 63); }

}  // namespace rollcall
