// Feeds a sink from Boost.JSON's event parser (json_scanner.hpp: from our own). Include only from .cpp files: it instantiates the parser.
//
// A Sink has
//   bool open(bool is_array), bool close(), bool key(std::string_view), bool value(const JsonScalar&)
//   bool wants_text() const        is a text at this place kept? (if not, only its end is reported, empty)
//   bool text_too_long()           called when a kept text is over the limit, perhaps several times; true: value() gets it cut
// and may have
//   bool skips() const             nothing but open() and close() matters here
// Each returns false to stop; the sink then knows why. Keys over 64 bytes are reported cut: no key we look for is longer.
#pragma once

#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/json_scalar.hpp"

namespace rollcall {

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

}  // namespace rollcall
