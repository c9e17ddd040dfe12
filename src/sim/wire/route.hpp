// Parses a request's target into decoded path segments and query pairs, and finds its service and method.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace rollcall::sim {

struct ParsedTarget {
  std::string path;                   // decoded, without the query
  std::vector<std::string> segments;  // decoded one by one; a trailing slash gives an empty last one
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string_view> get(std::string_view name) const;
  bool is_true(std::string_view name) const;
  /// The query as servers in Go parse it: without pairs that have a `;` or an invalid escape.
  ParsedTarget as_go_reads() const;

  std::string raw_query;  // as sent
};

/// True if `word` is one of the blank-separated `words`.
bool names_word(std::string_view words, std::string_view word);

ParsedTarget parse_target(std::string_view target);
std::string percent_decode(std::string_view text, bool plus_is_space);

enum class Service { none, metadata, tpu, discovery, compute, kubernetes, slurm, oauth, iam, imds };

/// A path of the Cloud TPU API: /{version}/projects/{project}/locations/{location}/{collection}/{item}; other APIs have their own patterns.
struct Route {
  Service service = Service::none;
  std::string name = "unknown";  // `nodes.get`, `token`, `metadata instance/zone`: the name in counts and faults
  std::string version;  // v1, v2, v2alpha1
  std::string group;  // of Kubernetes; empty: the core API
  std::string project;
  std::string location;
  std::string collection;  // nodes, acceleratorTypes, …; also `locations`
  std::string item;  // empty: the list
  std::string verb;  // get, list, or the verb of a refused call
};

/// All names of routes, except those of metadata paths.
std::vector<std::string> route_names();

Route find_route(std::string_view method, bool is_https, std::string_view host, const ParsedTarget& target);

}  // namespace rollcall::sim
