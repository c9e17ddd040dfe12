// Which service and method a request is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/wire/target.hpp"

namespace rollcall::sim {

enum class Service { none, metadata, tpu, discovery, compute, kubernetes };

/// A path of the Cloud TPU API: /{version}/projects/{project}/locations/{location}/{collection}/{item}
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
