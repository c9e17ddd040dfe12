// Names, numbers and texts as checked and written by the API server, which is written in Go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::sim {

/// Between double quotes, with Go's escapes.
std::string go_quoted(std::string_view text);
/// A boolean parameter of a query: false if absent, "0", or "false" in any case; else true.
bool kube_flag(std::optional<std::string_view> text);
/// strconv.ParseInt(text, 10, 64).
std::optional<std::int64_t> go_parse_int(std::string_view text);
/// `strconv.ParseInt: parsing "x": invalid syntax`, or the message for a number out of range.
std::string go_number_error(std::string_view function, std::string_view text);

/// The fault of a label's key or value; none if it is valid.
std::optional<std::string> bad_label_key(std::string_view key);
std::optional<std::string> bad_label_value(std::string_view value);
/// A namespace or a host name: a DNS label; a pod: a DNS subdomain.
bool is_dns_label(std::string_view name);
bool is_dns_subdomain(std::string_view name);

/// The resource of a kind: `jobs` of Job, `topologies` of Topology.
std::string kube_resource(std::string_view kind);
/// True if objects of this kind belong to the whole cluster.
bool is_kube_cluster_kind(std::string_view kind);

/// Five characters, as the API server appends to a generateName, computed from `seed`.
std::string name_suffix(std::string_view seed);
/// A UUID computed from `seed`.
std::string uuid_of(std::string_view seed);

}  // namespace rollcall::sim
