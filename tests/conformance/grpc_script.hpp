// The state of a case's `grpc` entries: a master that answers by script, and counts attempts.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case.hpp"

namespace rollcall::conformance {

class GrpcScript {
 public:
  explicit GrpcScript(const std::vector<GrpcEntry>& entries) : entries_(entries), used_(entries.size(), 0) {}

  class Pick {
   public:
    RpcAnswer answer;
    std::chrono::milliseconds delay{0};
  };
  /// The answer of the fake server at `target`. Only the first call of an attempt consumes an entry: ListDevices without a handle,
  /// or CreateSession.
  Pick take(const std::string& target, const std::string& method, const std::string& message);
  /// Attempts so far.
  std::int64_t attempts(const std::string& target) const;
  bool knows(const std::string& target) const;

 private:
  const GrpcEntry* begin_attempt(const std::string& target);
  const std::vector<GrpcEntry>& entries_;
  std::vector<std::int64_t> used_;
  std::map<std::string, std::int64_t> attempts_;
  std::map<std::string, const GrpcEntry*> sessions_;
};

}  // namespace rollcall::conformance
