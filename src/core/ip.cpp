// IP address literals.
#include "core/ip.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "core/text.hpp"

namespace rollcall {
namespace {

bool is_literal(int family, std::string_view text) noexcept {
  char copy[INET6_ADDRSTRLEN + 1];
  if (text.size() >= sizeof copy || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  in6_addr address;
  return inet_pton(family, copy, &address) == 1;
}

}  // namespace

bool is_ipv4_literal(std::string_view text) noexcept { return is_literal(AF_INET, text); }

bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept {
  const std::size_t percent = text.find('%');
  if (percent == std::string_view::npos) return is_literal(AF_INET6, text);
  const std::string_view zone = text.substr(percent + 1);
  const auto is_zone_char = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  return allow_zone && !zone.empty() && zone.size() <= 32 && std::all_of(zone.begin(), zone.end(), is_zone_char) &&
         is_literal(AF_INET6, text.substr(0, percent));
}

bool is_localhost(std::string_view name) noexcept {
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view local = "localhost";
  if (name.size() < local.size()) return false;
  const std::size_t before = name.size() - local.size();
  return equals_ignoring_case(name.substr(before), local) && (before == 0 || name[before - 1] == '.');
}

}  // namespace rollcall
