// Reads JSON by events: feeds a sink from the scanner, piece by piece, and describes the fault of a body that is not valid JSON. Include
// only from .cpp files: it instantiates the scanner.
//
// A Sink has
//   bool open(bool is_array), bool close(), bool key(std::string_view), bool value(const JsonScalar&)
//   bool wants_text() const        is a text at this place kept? (if not, only its end is reported, empty)
//   bool text_too_long()           called when a kept text is over the limit, perhaps several times; true: value() gets it truncated
//   std::optional<Failure> failure(), by reference: why it stopped
// and may have
//   bool skips() const             only open() and close() matter here; may begin anywhere, and ends in close()
// Each returns false to stop; the sink then provides the failure. Keys over 64 bytes are reported truncated: all known keys are shorter.
#pragma once

#include <boost/json/error.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/json_scanner.hpp"
#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// `document` names the document ("the TPU node"), `at` is the byte where parsing stopped, `start` the beginning of the body (to
/// distinguish an HTML page from broken JSON). limit_exceeded for nesting, malformed_response otherwise.
Failure json_failure(std::string_view document, const boost::json::error_code& error, std::size_t at, std::string_view start);

/// A failure if `body` is obviously not JSON: empty, or markup. `document` as above.
Result<void> check_looks_like_json(std::string_view document, std::string_view body);

/// A document that arrives piece by piece.
template <class Sink>
class JsonFeed {
 public:
  /// `document` names the document in messages; it must outlive this.
  template <class... Arguments>
  JsonFeed(std::string_view document, const ParseLimits& limits, Arguments&&... arguments)
      : sink(std::forward<Arguments>(arguments)...), document_(document), scanner_(sink, limits.max_depth, limits.max_text) {}

  JsonFeed(const JsonFeed&) = delete;
  JsonFeed& operator=(const JsonFeed&) = delete;

  /// The next bytes. Errors are final.
  Result<void> put(std::string_view chunk) { return write(true, chunk); }
  /// The end of the document.
  Result<void> finish() { return write(false, std::string_view("", 0)); }

  Sink sink;

 private:
  Result<void> write(bool is_more, std::string_view chunk) {
    if (failure_) return *failure_;
    if (is_more && chunk.empty()) return {};
    const std::size_t first = start_.empty() ? chunk.find_first_not_of(" \t\r\n") : std::string_view::npos;
    if (first != std::string_view::npos) start_.assign(chunk.substr(first, max_shown));
    boost::json::error_code error;
    const std::size_t used = scanner_.write_some(is_more, chunk.data(), chunk.size(), error);
    if (!error && used < chunk.size()) error = boost::json::make_error_code(boost::json::error::extra_data);
    fed_ += used;
    if (sink.failure()) {
      failure_ = sink.failure();
    } else if (error) {
      failure_ = json_failure(document_, error, fed_, start_);
    }
    if (failure_) return *failure_;
    return {};
  }

  std::string_view document_;
  JsonScanner<Sink> scanner_;
  std::size_t fed_ = 0;
  static constexpr std::size_t max_shown = 15;  // a text of at most this many bytes needs no allocation
  std::string start_;  // the first bytes that are not blank, to recognise an HTML page
  std::optional<Failure> failure_;
};

}  // namespace rollcall
