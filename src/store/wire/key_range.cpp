#include "store/wire/key_range.hpp"

namespace rollcall::store {

std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return std::string(1, '\0');
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

std::string begin_of_prefix(std::string_view prefix) { return prefix.empty() ? std::string(1, '\0') : std::string(prefix); }

}  // namespace rollcall::store
