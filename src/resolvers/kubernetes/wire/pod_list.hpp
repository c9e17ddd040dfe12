// One page of a list of pods, read chunk by chunk as bytes arrive: what a resolver does not need is never kept.
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

/// What is kept of a pod.
enum class PodDetail {
  address,    ///< what a spec needs: of a running pod neither conditions nor containers are looked at
  readiness,  ///< also whether it is ready, and what holds up a running one
};

class PodListParser {
 public:
  /// Takes each pod as soon as it is read, in the order of the page; it may move from it. Its failures end the reading.
  using Consumer = std::function<Result<void>(Pod&)>;

  explicit PodListParser(Consumer consumer, const ParseLimits& limits = {})
      : PodListParser(std::move(consumer), PodDetail::address, limits) {}
  PodListParser(Consumer consumer, PodDetail detail, const ParseLimits& limits);
  ~PodListParser();
  PodListParser(PodListParser&&) noexcept;
  PodListParser& operator=(PodListParser&&) noexcept;

  /// The next bytes. Errors: malformed_response (not JSON, not a PodList, a pod without name, a field of the wrong type),
  /// limit_exceeded; they are final.
  Result<void> feed(std::string_view chunk);
  /// The body has ended. Errors: also malformed_response for a body cut short or without `items`.
  Result<void> finish();

  /// The token of the next page; empty when this is the last one, even if there are no pods on it. Valid after finish().
  const std::string& next_page() const;
  /// The version from which a watch goes on. Valid after finish().
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
