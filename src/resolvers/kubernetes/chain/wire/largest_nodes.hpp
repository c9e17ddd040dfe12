// How much of each extended resource the largest node of a cluster has. Source: Kubernetes API v1, NodeList.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class LargestNode {
 public:
  LargestNode() {}
  std::string node;  ///< its name; the first of several
  std::int64_t count = 0;  ///< 0: no node has any
};

/// By what the nodes have for pods (status.allocatable).
class LargestNodes {
 public:
  LargestNodes() {}
  std::map<std::string, LargestNode, std::less<>> by_resource;
  std::size_t nodes = 0;  ///< how many were read
  std::string next_page;  ///< a token; empty: there is no further page

  LargestNode of(std::string_view resource) const {
    const auto found = by_resource.find(resource);
    return found == by_resource.end() ? LargestNode() : found->second;
  }
};

/// Adds one page of a list. Errors: malformed_response, limit_exceeded.
Result<void> add_nodes(LargestNodes& largest, std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
