// How a call under test ended.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "rollcall/error.hpp"

namespace rollcall::conformance {

namespace json = boost::json;

class Outcome {
 public:
  Outcome() {}
  explicit Outcome(json::value result) : value(std::move(result)) {}
  explicit Outcome(Failure error) : failure(std::move(error)) {}
  json::value value;
  std::optional<Failure> failure;
};

template <class T>
json::value or_null(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value();
}

/// The case cannot be run: a feature does not exist yet, or such a call cannot be written in C++.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The harness does not understand the case, so it fails.
class NotUnderstood : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rollcall::conformance
