#include "cluster/service_address.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_host = 253;

bool is_host_label(std::string_view label) noexcept {
  const auto is_label_char = [](char c) { return is_alnum(c) || c == '-' || c == '_'; };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && std::all_of(label.begin(), label.end(), is_label_char);
}

}  // namespace

std::string_view service_ip(std::string_view text) noexcept {
  if (is_ipv4_literal(text)) return text;
  const bool is_bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  const std::string_view bare = is_bracketed ? text.substr(1, text.size() - 2) : text;
  return is_ipv6_literal(bare, false) ? bare : std::string_view();
}

std::string_view service_host(std::string_view text) noexcept {
  if (const std::string_view ip = service_ip(text); !ip.empty()) return ip;
  std::string_view rest = text;
  if (rest.ends_with('.')) rest.remove_suffix(1);
  if (rest.empty() || rest.size() > max_host) return {};
  for (;;) {
    const std::size_t dot = rest.find('.');
    if (!is_host_label(rest.substr(0, dot))) return {};
    if (dot == std::string_view::npos) return text;
    rest.remove_prefix(dot + 1);
  }
}

std::string not_an_address(std::string_view text) { return quoted(text, 80) + ", not an address"; }

bool is_member_address(std::string_view text) {
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  return endpoint && !service_host(endpoint->host).empty();
}

std::string job_name_fault(std::string_view name) {
  const bool is_fine = !name.empty() && printable_line(name) == name;
  return is_fine ? std::string() : fmt::format("is {}, no name of a job", quoted(name, 64));
}

}  // namespace rollcall
