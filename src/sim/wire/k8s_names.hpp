// Names, numbers and texts as the API server judges and writes them: its programs are in Go, and so are its messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::sim {

/// Between double quotes, with Go's escapes.
std::string go_quoted(std::string_view text);
/// A flag of a query: false are only its absence, "0", and "false" in any case.
bool kube_flag(std::optional<std::string_view> text);
/// strconv.ParseInt(text, 10, 64).
std::optional<std::int64_t> go_parse_int(std::string_view text);
/// `strconv.ParseInt: parsing "x": invalid syntax`, or that it is out of range.
std::string go_number_error(std::string_view function, std::string_view text);

/// What is wrong with a label's key or value; none: nothing.
std::optional<std::string> bad_label_key(std::string_view key);
std::optional<std::string> bad_label_value(std::string_view value);
/// A namespace or a host name: a DNS label; a pod: a DNS subdomain.
bool is_dns_label(std::string_view name);
bool is_dns_subdomain(std::string_view name);

/// Five characters as the API server appends to a generateName, from any text.
std::string name_suffix(std::string_view seed);
/// A UUID from any text.
std::string uuid_of(std::string_view seed);

}  // namespace rollcall::sim
