// Reading JSON by events: feeds a sink from Boost.JSON's event parser (json_scanner.hpp: from our own), piece by piece, and says what is
// wrong with a body that is not the JSON it should be. Include only from .cpp files: it instantiates the parser.
//
// A Sink has
//   bool open(bool is_array), bool close(), bool key(std::string_view), bool value(const JsonScalar&)
//   bool wants_text() const        is a text at this place kept? (if not, only its end is reported, empty)
//   bool text_too_long()           called when a kept text is over the limit, perhaps several times; true: value() gets it cut
//   std::optional<Failure> failure(), by reference: why it stopped
// and may have
//   bool skips() const             nothing but open() and close() matters here
// Each returns false to stop; the sink then knows why. Keys over 64 bytes are reported cut: no key we look for is longer.
#pragma once

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/json_scalar.hpp"
#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// `document` names what was read ("the TPU node"), `at` is the byte where parsing stopped, `start` the beginning of the
/// body (it tells an HTML page from broken JSON). limit_exceeded for nesting, malformed_response otherwise.
Failure json_failure(std::string_view document, const boost::json::error_code& error, std::size_t at, std::string_view start);

/// A failure when `body` is plainly no JSON: empty, or markup. `document` as above.
Result<void> check_looks_like_json(std::string_view document, std::string_view body);

template <class Sink>
class SaxHandler {
 public:
  using error_code = boost::json::error_code;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  SaxHandler(Sink& sink, std::size_t max_text) : sink_(sink), max_text_(max_text) {}

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code& ec) { return pass(sink_.open(true), ec); }
  bool on_array_end(std::size_t, error_code& ec) { return pass(sink_.close(), ec); }
  bool on_object_begin(error_code& ec) { return pass(sink_.open(false), ec); }
  bool on_object_end(std::size_t, error_code& ec) { return pass(sink_.close(), ec); }

  bool on_key_part(std::string_view part, std::size_t, error_code&) {
    if (skips()) return true;
    keep(part, max_key);
    return true;
  }
  bool on_key(std::string_view part, std::size_t, error_code& ec) {
    if (skips()) return true;
    if (buffer_.empty()) return pass(sink_.key(part.substr(0, max_key)), ec);
    keep(part, max_key);
    const bool go_on = sink_.key(buffer_);
    buffer_.clear();
    return pass(go_on, ec);
  }
  bool on_string_part(std::string_view part, std::size_t size, error_code& ec) {
    if (skips() || !sink_.wants_text()) return true;
    if (size > max_text_ && !sink_.text_too_long()) return pass(false, ec);
    keep(part, max_text_);
    return true;
  }
  bool on_string(std::string_view part, std::size_t size, error_code& ec) {
    if (skips()) return true;
    if (!sink_.wants_text()) return pass(sink_.value(JsonScalar(JsonScalar::Kind::text)), ec);
    if (size > max_text_ && !sink_.text_too_long()) return pass(false, ec);
    if (buffer_.empty()) return pass(sink_.value(JsonScalar(JsonScalar::Kind::text, part.substr(0, max_text_))), ec);
    keep(part, max_text_);
    const bool go_on = sink_.value(JsonScalar(JsonScalar::Kind::text, buffer_));
    buffer_.clear();
    return pass(go_on, ec);
  }
  bool on_number_part(std::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, std::string_view, error_code& ec) {
    if (skips()) return true;
    JsonScalar scalar(JsonScalar::Kind::integer);
    scalar.integer = number;
    return pass(sink_.value(scalar), ec);
  }
  bool on_uint64(std::uint64_t, std::string_view, error_code& ec) { return number(ec); }
  bool on_double(double, std::string_view, error_code& ec) { return number(ec); }
  bool on_bool(bool value, error_code& ec) {
    if (skips()) return true;
    JsonScalar scalar(JsonScalar::Kind::boolean);
    scalar.boolean = value;
    return pass(sink_.value(scalar), ec);
  }
  bool on_null(error_code& ec) { return skips() || pass(sink_.value(JsonScalar(JsonScalar::Kind::null)), ec); }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }

 private:
  static constexpr std::size_t max_key = 64;

  bool skips() const {
    if constexpr (requires(const Sink& sink) { sink.skips(); }) {
      return sink_.skips();
    } else {
      return false;
    }
  }
  bool number(error_code& ec) { return skips() || pass(sink_.value(JsonScalar(JsonScalar::Kind::number)), ec); }
  void keep(std::string_view part, std::size_t limit) {
    if (buffer_.size() < limit) buffer_.append(part.substr(0, limit - buffer_.size()));
  }
  static bool pass(bool go_on, error_code& ec) {
    if (!go_on) ec = boost::system::errc::make_error_code(boost::system::errc::operation_canceled);  // the sink knows why
    return go_on;
  }

  Sink& sink_;
  std::size_t max_text_;
  std::string buffer_;
};

inline boost::json::parse_options sax_options(std::size_t max_depth) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  return options;
}

/// A document that arrives piece by piece. Parser: Boost.JSON's, or JsonScanner<Sink>.
template <class Sink, class Parser = boost::json::basic_parser<SaxHandler<Sink>>>
class JsonFeed {
 public:
  /// `document` names what is read, for messages; it must outlive this.
  template <class... Arguments>
  JsonFeed(std::string_view document, const ParseLimits& limits, Arguments&&... arguments)
      : sink(std::forward<Arguments>(arguments)...), document_(document), parser_(sax_options(limits.max_depth), sink, limits.max_text) {}

  JsonFeed(const JsonFeed&) = delete;
  JsonFeed& operator=(const JsonFeed&) = delete;

  /// The next bytes. Errors are final.
  Result<void> put(std::string_view chunk) { return write(true, chunk); }
  /// There are no more.
  Result<void> finish() { return write(false, std::string_view("", 0)); }

  Sink sink;

 private:
  Result<void> write(bool is_more, std::string_view chunk) {
    if (failure_) return *failure_;
    if (is_more && chunk.empty()) return {};
    const std::size_t first = start_.empty() ? chunk.find_first_not_of(" \t\r\n") : std::string_view::npos;
    if (first != std::string_view::npos) start_.assign(chunk.substr(first, most_shown));
    boost::json::error_code error;
    const std::size_t used = parser_.write_some(is_more, chunk.data(), chunk.size(), error);
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
  Parser parser_;
  std::size_t fed_ = 0;
  static constexpr std::size_t most_shown = 15;  // a text of so many bytes needs no memory of its own
  std::string start_;  // the first bytes that are not blank, to recognise an HTML page
  std::optional<Failure> failure_;
};

}  // namespace rollcall
