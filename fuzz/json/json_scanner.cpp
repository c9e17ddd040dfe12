// The event parser compared with Boost.JSON's: both accept the same documents and report the same events, for every division into pieces.
// The first byte chooses the division.
#include "json/json_scanner.hpp"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <optional>

#include "check.hpp"
#include "json/json_sax.hpp"

namespace {

using namespace rollcall;

// Records the events. Skips the value of a key with 's', and stops at the text "stop".
class Transcript {
 public:
  bool skips() const { return depth_ > 0; }
  bool open(bool is_array) {
    if (depth_ > 0 || is_passed_over_) {
      ++depth_;
    } else {
      text += is_array ? '[' : '{';
    }
    return true;
  }
  bool close() {
    if (depth_ > 0) {
      if (--depth_ == 0) is_passed_over_ = false;
    } else {
      text += '!';
    }
    return true;
  }
  bool key(std::string_view name) {
    is_passed_over_ = name.starts_with('s');
    text += fmt::format("k{}:{}", name.size(), name);
    return true;
  }
  bool value(const JsonScalar& scalar) {
    if (is_passed_over_) {
      is_passed_over_ = false;
      return true;
    }
    text += fmt::format("{}{}{}:{}", static_cast<int>(scalar.kind), scalar.boolean, scalar.integer, scalar.text);
    if (scalar.text == "stop") failure_.emplace(Errc::conflict, "stopped");
    return !failure_;
  }
  bool wants_text() const { return !is_passed_over_; }
  bool text_too_long() {
    failure_.emplace(Errc::limit_exceeded, "too long");
    return false;
  }
  const std::optional<Failure>& failure() const { return failure_; }

  std::string text;

 private:
  std::size_t depth_ = 0;
  bool is_passed_over_ = false;
  std::optional<Failure> failure_;
};

// The events of Boost.JSON's parser, passed to a sink in the form of the project's parser.
template <class Sink>
class BoostHandler {
 public:
  using error_code = boost::json::error_code;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  BoostHandler(Sink& sink, std::size_t max_text) : sink_(sink), max_text_(max_text) {}

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

  bool skips() const { return sink_.skips(); }
  bool number(error_code& ec) { return skips() || pass(sink_.value(JsonScalar(JsonScalar::Kind::number)), ec); }
  void keep(std::string_view part, std::size_t limit) {
    if (buffer_.size() < limit) buffer_.append(part.substr(0, limit - buffer_.size()));
  }
  static bool pass(bool go_on, error_code& ec) {
    if (!go_on) ec = boost::system::errc::make_error_code(boost::system::errc::operation_canceled);  // the sink has the failure
    return go_on;
  }

  Sink& sink_;
  std::size_t max_text_;
  std::string buffer_;
};

// The whole text by Boost.JSON.
Result<void> read_by_boost(Transcript& sink, std::string_view text, const ParseLimits& limits) {
  boost::json::parse_options options;
  options.max_depth = limits.max_depth;
  boost::json::basic_parser<BoostHandler<Transcript>> parser(options, sink, limits.max_text);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = boost::json::make_error_code(boost::json::error::extra_data);
  if (sink.failure()) return *sink.failure();
  if (error) return json_failure("it", error, used, text.substr(0, 15));
  return {};
}

template <class Feed>
Result<void> read(Feed& feed, std::string_view text, std::size_t step) {
  Result<void> result;
  for (std::size_t at = 0; at < text.size() && result; at += step) result = feed.put(std::string(text.substr(at, step)));
  if (result) result = feed.finish();
  require_sane(result);
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ParseLimits limits;
  limits.max_depth = 6;
  limits.max_text = 40;
  Transcript boost_transcript;
  const Result<void> expected = read_by_boost(boost_transcript, text, limits);
  // Boost.JSON computes the numbers' values, and fails for some.
  if (!expected && std::string_view(expected.error().what()).find("overflow") != std::string_view::npos) return 0;
  for (const std::size_t step : {text.size(), data[0] % std::size_t{64} + 1}) {
    JsonFeed<Transcript> feed("it", limits);
    const Result<void> result = read(feed, text, step);
    require(result.has_value() == expected.has_value());
    if (result) require(feed.sink.text == boost_transcript.text);
  }
  return 0;
}
