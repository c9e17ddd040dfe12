// A request's target taken apart: decoded path segments and query pairs; and which service and method it is for.
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
  std::vector<std::string> segments;  // decoded one by one; a trailing slash gives a last empty one
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string_view> get(std::string_view name) const;
  bool is_true(std::string_view name) const;
  /// As servers in Go read it: without the query's pairs that have a `;` or a wrong escape.
  ParsedTarget as_go_reads() const;

  std::string raw_query;  // as sent
};

/// Whether `words`, with blanks between them, has that word.
bool names_word(std::string_view words, std::string_view word);

ParsedTarget parse_target(std::string_view target);
std::string percent_decode(std::string_view text, bool plus_is_space);

enum class Service { none, metadata, tpu, discovery, compute, kubernetes, oauth, iam, imds };

/// A path of the Cloud TPU API: /{version}/projects/{project}/locations/{location}/{collection}/{item}; others as their patterns say.
struct Route {
  Service service = Service::none;
  std::string name = "unknown";  // `nodes.get`, `token`, `metadata instance/zone`: what counts and faults speak of
  std::string version;           // v1, v2, v2alpha1
  std::string project;
  std::string location;
  std::string collection;  // nodes, acceleratorTypes, …; locations itself
  std::string item;        // empty: the list
  std::string verb;        // get, list, or what a changing call would be
};

/// Every name that a route can have, but for the paths of metadata.
std::vector<std::string> route_names();

Route find_route(std::string_view method, bool is_https, std::string_view host, const ParsedTarget& target);

}  // namespace rollcall::sim
