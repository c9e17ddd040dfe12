// The metadata attribute tpu-env: what a TPU VM is told of its slice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Lines of `KEY: 'value'`. The Cloud TPU API and Compute Engine spell some keys differently (`WORKER_ID`, `TPU_WORKER_ID`):
/// value() knows both [facts: tpu-env].
class TpuEnv {
 public:
  TpuEnv() {}
  /// Lines that are no `KEY: value` are passed over, as odd ones occur (a value of several lines). Errors: malformed_response (a key
  /// twice with different values, control characters in a value), limit_exceeded (64 kB, 512 keys).
  static Result<TpuEnv> parse(std::string_view text);

  /// Of `name` or `TPU_name`; none where both are missing or empty. Errors: conflict when they differ.
  Result<std::optional<std::string>> value(std::string_view name) const;
  /// As written, unknown keys too.
  const std::map<std::string, std::string, std::less<>>& values() const noexcept { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace rollcall
