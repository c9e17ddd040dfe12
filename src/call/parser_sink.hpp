// Feeds a chunk-by-chunk parser with an answer's body.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "call/api_client.hpp"
#include "call/runtime_impl.hpp"
#include "json/limits.hpp"

namespace rollcall {

/// For every parser of a call: kept data is bounded by the Runtime's limits.
inline ParseLimits parse_limits(const Runtime::Impl& impl) {
  ParseLimits result;
  result.max_depth = impl.limits.max_json_depth;
  result.max_text = impl.limits.max_string_bytes;
  result.max_endpoints = impl.limits.max_endpoints;
  result.max_document = impl.limits.max_body_bytes;
  result.max_document_memory = std::min(result.max_document_memory, impl.limits.max_memory_bytes);
  result.memory = impl.memory;
  return result;
}

/// `Parser` has feed(), and `make` creates one for each answer. Kept data is charged to the Runtime's account until the next answer.
template <class Parser>
class ParserSink final : public BodySink {
 public:
  explicit ParserSink(std::function<Parser()> make) : make_(std::move(make)), parser_(make_()) {}
  void restart() override {
    parser_ = make_();
    bytes_ = 0;
  }
  Result<void> take(std::string_view piece) override {
    bytes_ += piece.size();
    return parser_.feed(piece);
  }
  Parser& parser() { return parser_; }
  /// Status and headers of the last answer.
  std::size_t bytes() const { return bytes_; }

 private:
  std::function<Parser()> make_;
  Parser parser_;
  std::size_t bytes_ = 0;
};

}  // namespace rollcall
