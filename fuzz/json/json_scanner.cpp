// Our own event parser against Boost.JSON's: the same documents are taken, and the same is told of them, however they are cut. The first
// byte says where they are.
#include "json/json_scanner.hpp"

#include <fmt/format.h>

#include <optional>

#include "check.hpp"
#include "json/json_sax.hpp"

namespace {

using namespace rollcall;

// Writes down what it is told. Passes over what a key with 's' leads to, and stops at the text "stop".
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
    text += fmt::format("{}{}:{}", name_of(scalar.kind), scalar.boolean, scalar.text);
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
  JsonFeed<Transcript> boost_feed("it", limits);
  const Result<void> expected = read(boost_feed, text, text.size());
  // Boost.JSON makes the numbers' values, and cannot with some.
  if (!expected && std::string_view(expected.error().what()).find("overflow") != std::string_view::npos) return 0;
  for (const std::size_t step : {text.size(), data[0] % std::size_t{64} + 1}) {
    JsonFeed<Transcript, JsonScanner<Transcript>> feed("it", limits);
    const Result<void> result = read(feed, text, step);
    require(result.has_value() == expected.has_value());
    if (result) require(feed.sink.text == boost_feed.sink.text);
  }
  return 0;
}
