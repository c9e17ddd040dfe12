// Arguments of a constructor or a call, read by upstream's names. An argument that was not read is an error.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "conformance/outcome.hpp"

namespace rollcall::conformance {

class Arguments {
 public:
  /// `what` names the call in messages. The object must outlive this.
  Arguments(const json::object& values, std::string what) : values_(values), what_(std::move(what)) {}

  // None if the argument is absent or null. NotApplicable when the value has a type that C++ would not accept there.
  std::optional<std::string> text(std::string_view name);
  std::optional<int> integer(std::string_view name);
  std::optional<std::uint16_t> port(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<double> number(std::string_view name);
  const json::value* value(std::string_view name);
  /// As text() and so on; NotApplicable when there is none.
  std::string required_text(std::string_view name);
  int required_integer(std::string_view name);
  const json::value& required(std::string_view name);

  /// Call it after the last read: NotApplicable when an argument that is not null was not read.
  void finish() const;

 private:
  const json::object& values_;
  std::string what_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace rollcall::conformance
