#include "fleet/entry/rules/request_rules.hpp"

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

// Calls `visit` with each element of a comma-separated list until it returns true. Commas between quotes separate nothing.
template <class Visit>
bool any_element(std::string_view list, Visit visit) noexcept {
  bool is_quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '"') is_quoted = !is_quoted;
    if (i < list.size() && (list[i] != ',' || is_quoted)) continue;
    if (visit(trim(list.substr(start, i - start)))) return true;
    start = i + 1;
  }
  return false;
}

// False for an element with the weight 0, such as `gzip; q=0.0`.
bool has_weight(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view one = trim(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    if (one.size() < 2 || to_lower(one[0]) != 'q' || one[1] != '=') continue;
    return one.find_first_of("123456789", 2) != std::string_view::npos;
  }
  return true;
}

bool is_element(std::string_view element, std::string_view name) noexcept {
  const std::size_t end = std::min(element.find(';'), element.size());
  return equals_ignoring_case(trim(element.substr(0, end)), name);
}

std::string_view parameters_of(std::string_view element) noexcept {
  const std::size_t end = element.find(';');
  return end == std::string_view::npos ? std::string_view() : element.substr(end + 1);
}

// The host name, or the address without brackets; empty: the text is not a host with an optional port (RFC 9110, 7.2).
std::string_view without_port(std::string_view host) noexcept {
  const bool has_brackets = host.starts_with('[');
  const std::size_t end = std::min(host.find(has_brackets ? ']' : ':'), host.size());
  std::string_view rest = host.substr(end);
  if (has_brackets && !rest.empty()) rest.remove_prefix(1);
  const bool has_port = rest.starts_with(':');
  if (has_port) rest.remove_prefix(1);
  const bool is_port = std::all_of(rest.begin(), rest.end(), is_digit) && (has_port || rest.empty());
  if (!is_port || (has_brackets && end == host.size())) return {};
  return host.substr(has_brackets ? 1 : 0, end - (has_brackets ? 1 : 0));
}

}  // namespace

std::string joined_field(const HeaderList& headers, std::string_view name) {
  std::string joined;
  headers.each([&joined, name](std::string_view field, std::string_view value) {
    if (!equals_ignoring_case(field, name)) return;
    if (!joined.empty()) joined += ", ";
    joined += value;
  });
  return joined;
}

bool is_local_authority(std::string_view host) noexcept {
  const std::string_view name = without_port(host);
  if (host.starts_with('[')) return is_ipv6_literal(name, false);
  return is_ipv4_literal(name) || is_localhost(name);
}

bool is_own_origin(std::string_view origin, std::string_view host) noexcept {
  // Both schemes: behind a proxy that terminates TLS this server receives http requests of https pages.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equals_ignoring_case(origin.substr(0, scheme.size()), scheme)) return equals_ignoring_case(origin.substr(scheme.size()), host);
  }
  return false;
}

bool matches_etag(std::string_view if_none_match, std::string_view etag) noexcept {
  return any_element(if_none_match, [etag](std::string_view element) {
    if (element == "*") return true;
    if (element.starts_with("W/")) element.remove_prefix(2);
    return element == etag;
  });
}

bool takes_events(std::string_view accept) noexcept {
  return any_element(
      accept, [](std::string_view element) { return is_element(element, "text/event-stream") && has_weight(parameters_of(element)); });
}

bool takes_gzip(std::string_view accept_encoding) noexcept {
  const auto names = [accept_encoding](std::string_view name) {
    return any_element(accept_encoding, [name](std::string_view element) { return is_element(element, name); });
  };
  const std::string_view name = names("gzip") ? "gzip" : "*";
  return any_element(accept_encoding,
                     [name](std::string_view element) { return is_element(element, name) && has_weight(parameters_of(element)); });
}

// Later versions may have more fields behind another dash; the version ff is invalid.
std::string trace_id_of(std::string_view traceparent) {
  constexpr std::size_t of_version_0 = 55;
  const auto is_hex = [](std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; };
  const auto is_id = [is_hex](std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; };
  const std::string_view field = trim(traceparent);
  if (field.size() < of_version_0 || field[2] != '-' || field[35] != '-' || field[52] != '-') return {};
  const std::string_view version = field.substr(0, 2);
  const bool fits = version == "00" ? field.size() == of_version_0 : field.size() == of_version_0 || field[of_version_0] == '-';
  if (!fits || !is_hex(version) || version == "ff" || !is_hex(field.substr(53, 2))) return {};
  if (!is_id(field.substr(3, 32)) || !is_id(field.substr(36, 16))) return {};
  return std::string(field.substr(3, 32));
}

}  // namespace rollcall::fleet
