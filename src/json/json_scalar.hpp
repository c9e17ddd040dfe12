// One JSON value that is neither array nor object, as json_sax.hpp passes it to a sink.
#pragma once

#include <cstdint>
#include <string_view>

namespace rollcall {

class JsonScalar {
 public:
  enum class Kind { null, boolean, integer, number, text };  // number: a fraction, or beyond 63 bits
  explicit JsonScalar(Kind scalar_kind) : kind(scalar_kind) {}
  JsonScalar(Kind scalar_kind, std::string_view scalar_text) : kind(scalar_kind), text(scalar_text) {}

  Kind kind;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string_view text;  ///< valid during the call; empty where the sink wants no text
};

/// For messages: "a text".
inline std::string_view name_of(JsonScalar::Kind kind) noexcept {
  switch (kind) {
    case JsonScalar::Kind::null: return "null";
    case JsonScalar::Kind::boolean: return "a boolean";
    case JsonScalar::Kind::integer:
    case JsonScalar::Kind::number: return "a number";
    case JsonScalar::Kind::text: break;
  }
  return "a text";
}

}  // namespace rollcall
