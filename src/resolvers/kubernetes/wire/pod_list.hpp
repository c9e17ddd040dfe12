// Parses one page of a list of pods as bytes arrive. Fields that the resolver does not need are never stored.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The fields that are kept of a pod.
enum class PodDetail {
  address,    ///< the fields for a spec; the conditions and containers of a running pod are skipped
  readiness,  ///< also readiness, and the reasons that block a running pod
};

class PodListParser {
 public:
  /// Called with each pod as soon as it is read, in the order of the page. It may move from the pod. Its failure ends the parser.
  using Consumer = std::function<Result<void>(Pod&)>;

  explicit PodListParser(Consumer consumer, const ParseLimits& limits = {})
      : PodListParser(std::move(consumer), PodDetail::address, limits) {}
  PodListParser(Consumer consumer, PodDetail detail, const ParseLimits& limits);
  ~PodListParser();
  PodListParser(PodListParser&&) noexcept;
  PodListParser& operator=(PodListParser&&) noexcept;

  /// The next bytes. Errors: malformed_response (not JSON, not a PodList, a pod without name, a field of the wrong type),
  /// limit_exceeded. They are final.
  Result<void> feed(std::string_view chunk);
  /// Call it at the end of the body. Errors: also malformed_response for a body cut short or without `items`.
  Result<void> finish();

  /// The token of the next page; empty on the last page, even if it has no pods. Valid after finish().
  const std::string& next_page() const;
  /// The version from which a watch continues. Valid after finish().
  const std::string& resource_version() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A page that is already in memory.
class PodList {
 public:
  PodList() {}
  std::vector<Pod> pods;
  std::string next_page;
};
Result<PodList> parse_pod_list(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
