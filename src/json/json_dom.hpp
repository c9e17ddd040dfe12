// Small documents off the hot path, as Boost.JSON's DOM on a memory resource with the document's lifetime.
#pragma once

#include <boost/json/memory_resource.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class JsonDocument {
 public:
  /// `document` names the document in messages. Errors: malformed_response, limit_exceeded (depth, size, memory).
  static Result<JsonDocument> parse(std::string_view document, std::string_view text, const ParseLimits& limits = {});

  JsonDocument(JsonDocument&&) noexcept = default;
  JsonDocument& operator=(JsonDocument&&) = delete;  // would free the memory before the values in it

  const boost::json::value& root() const { return *root_; }

 private:
  JsonDocument() = default;
  std::unique_ptr<boost::json::memory_resource> heap_;
  std::unique_ptr<boost::json::monotonic_resource> memory_;
  std::unique_ptr<boost::json::value> root_;
};

// Look-ups that return nullptr where the path does not exist or has another type.
const boost::json::value* find(const boost::json::value& object, std::string_view key);  // also nullptr for null
const boost::json::object* find_object(const boost::json::value& object, std::string_view key);
std::optional<std::string_view> find_text(const boost::json::value& object, std::string_view key);

/// "a text", "an object" …, for messages.
std::string_view kind_name(const boost::json::value& value);

}  // namespace rollcall
