// Feeds a chunk-by-chunk parser with an answer's body.
#pragma once

#include <string_view>

#include "async/api_client.hpp"
#include "parse/limits.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

inline ParseLimits parse_limits(const Limits& limits) {
  ParseLimits result;
  result.max_depth = limits.max_json_depth;
  result.max_text = limits.max_string_bytes;
  return result;
}

/// `Parser` is made of ParseLimits and has feed().
template <class Parser>
class ParserSink final : public BodySink {
 public:
  explicit ParserSink(ParseLimits limits) : limits_(limits), parser_(limits) {}
  void restart() override { parser_ = Parser(limits_); }
  Result<void> take(std::string_view piece) override { return parser_.feed(piece); }
  Parser& parser() { return parser_; }

 private:
  ParseLimits limits_;
  Parser parser_;
};

}  // namespace rollcall
