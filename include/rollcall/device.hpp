// A parsed TensorFlow device name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// `/job:J/replica:R/task:T/device:TYPE:ID`; every part may be unspecified. Source: tensorflow device_name_utils.cc.
class Device {
 public:
  Device() {}
  /// Errors: invalid_argument naming the text: unknown component, bad job or type, a number over 2^31-1.
  static Result<Device> parse(std::string_view name);

  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> id;

  /// Canonical: unspecified parts left out, an unspecified id of a given type prints `*`.
  std::string to_text() const;
  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace rollcall
