// The state of a case's `http` entries: selects the entry that answers, and records requests.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/seen_request.hpp"

namespace rollcall::conformance {

class HttpScript {
 public:
  /// `seconds`: the clock that selects within a timeline.
  HttpScript(const std::vector<HttpEntry>& entries, std::function<double()> seconds);

  class Pick {
   public:
    std::size_t entry = 0;
    const HttpAnswer* answer = nullptr;
    std::chrono::milliseconds delay{0};
  };

  /// The entry that would answer now, without consuming it.
  std::optional<Pick> peek(const SeenRequest& request) const;
  /// The same, but consumes and records it; a request without an entry is recorded as such.
  std::optional<Pick> take(SeenRequest request);

  const std::vector<SeenRequest>& requests() const { return requests_; }
  const std::vector<std::string>& unmatched() const { return unmatched_; }

 private:
  const std::vector<HttpEntry>& entries_;
  std::function<double()> seconds_;
  std::vector<std::int64_t> used_;
  std::vector<SeenRequest> requests_;
  std::vector<std::string> unmatched_;
};

}  // namespace rollcall::conformance
