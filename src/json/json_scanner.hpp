// An event parser: feeds the sinks of json_sax.hpp as Boost.JSON's basic_parser does, at seven tenths of the cost (10,000 pods: 13 ms
// instead of 19, with managedFields 41 instead of 59). As strict as that one (RFC 8259, UTF-8, bounded depth), with the one difference that
// only integers of 63 bits have a value: any other number is only checked for its syntax. The price: 500 lines that a differential fuzz
// target (fuzz/json/json_scanner.cpp) compares with Boost.JSON. Include from .cpp files.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/json/error.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "json/json_scalar.hpp"
#include "json/json_tokens.hpp"

namespace rollcall {

/// See json_sax.hpp for the functions of a Sink.
template <class Sink>
class JsonScanner {
 public:
  using error_code = boost::json::error_code;

  JsonScanner(Sink& sink, std::size_t max_depth, std::size_t max_text) : sink_(sink), max_depth_(max_depth), max_text_(max_text) {}

  /// The next bytes, and whether more may follow. Returns how many are part of the document. `error` is set for invalid JSON; if a sink
  /// stops the parser, the sink provides the failure. No further call after either.
  std::size_t write_some(bool is_more, const char* data, std::size_t size, error_code& error) {
    const char* const end = data + size;
    const char* at = data;
    if (token_ != Token::none) at = resume(at, end);
    while (at != end && step_ != Step::done && !is_stopped_) at = scan(at, end);
    if (step_ == Step::done && !is_stopped_) at = behind_blanks(at, end);
    if (!is_more && !is_stopped_) finish();
    error = error_;
    return static_cast<std::size_t>(at - data);
  }

 private:
  enum class Step : std::uint8_t { value, first_element, first_key, key, colon, next, done };
  enum class Token : std::uint8_t { none, key, text, number, word };  // the token in which the last piece ended
  enum class Place : std::uint8_t { top, array, object };  // the container around it

  static constexpr std::size_t max_key = 64;

  static constexpr bool has_skips = requires(const Sink& sink) { sink.skips(); };
  bool skips() const {
    if constexpr (has_skips) {
      return sink_.skips();
    } else {
      return false;
    }
  }

  // Most marks have no blanks before them: one comparison detects this.
  static const char* behind_blanks(const char* at, const char* end) noexcept {
    return at != end && static_cast<unsigned char>(*at) <= ' ' ? behind_some_blanks(at, end) : at;
  }
  [[gnu::noinline]] static const char* behind_some_blanks(const char* at, const char* end) noexcept {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
    return at;
  }

  const char* scan(const char* at, const char* end) {
    if constexpr (has_skips) {
      if (skips()) return scan<true>(at, end);
    }
    return scan<false>(at, end);
  }

  static bool are_at(const char (&two)[3], const char* at) noexcept { return std::memcmp(at, two, 2) == 0; }

  // Runs until the end of the piece, or until the sink starts or stops skipping: skipped parts have a loop of their own, which is as strict
  // but passes no values. A label for each step, since most steps have only one possible successor: a loop over `step_` takes half as long
  // again.
  // Most texts are plain, short, and followed at once by another one.
  template <bool is_skipped>
  const char* scan(const char* at, const char* const end) {
    const char* special = nullptr;
    const char* const limit = limit_of_blocks(at, end);
  dispatch:
    switch (step_) {
      case Step::value: goto value;
      case Step::first_element: goto first_element;
      case Step::first_key: goto first_key;
      case Step::key: goto key;
      case Step::colon: goto colon;
      case Step::next: goto next;
      case Step::done: return at;
    }

  first_key:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::first_key, at);
    if (*at == '"') goto key_text;
    if (*at == '}') goto close;
    return wrong(at);
  key:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::key, at);
    if (*at != '"') return wrong(at);
  key_text:
    special = at + 1;
    if (find_special_in_blocks(special, limit) && *special == '"') {
      if (!is_skipped && !take_key(std::string_view(at + 1, special))) return stop(error_code(), at);
      at = special + 1;
      if (are_at(":\"", at)) {
        ++at;
        goto text;
      }
    } else {
      at = resume_as(Token::key, at + 1, end);
      if (is_stopped_ || token_ != Token::none) return at;
    }
  colon:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::colon, at);
    if (*at != ':') return wrong(at);
    ++at;
  value:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::value, at);
    if (*at == '"') {
    text:
      special = at + 1;
      if (find_special_in_blocks(special, limit) && *special == '"') {
        if (!is_skipped && !take_text(std::string_view(at + 1, special))) return stop(error_code(), at);
        at = special + 1;
        if (place_ != Place::top && are_at(",\"", at)) {
          ++at;
          if (place_ == Place::object) goto key_text;
          goto text;
        }
        goto after;
      }
      at = resume_as(Token::text, at + 1, end);
      if (is_stopped_ || token_ != Token::none) return at;
      goto dispatch;
    }
    if (*at == '{' || *at == '[') {
      if (depth_ == max_depth_) return stop(boost::json::make_error_code(boost::json::error::too_deep), at);
      const bool is_array = *at == '[';
      if (!sink_.open(is_array)) return stop(error_code(), at);
      enter(is_array ? Place::array : Place::object);
      ++at;
      if (has_skips && !is_skipped && skips()) return pause(is_array ? Step::first_element : Step::first_key, at);
      if (!is_array) goto first_key;
    } else if (const char* const behind = end_of_short_scalar(at, end)) {
      const char* const begin = std::exchange(at, behind);
      if (!is_skipped && !take_value(short_scalar(begin, behind))) return stop(error_code(), at);
      goto after;
    } else {
      at = begin_scalar(at, end);
      if (is_stopped_ || token_ != Token::none) return at;
      goto dispatch;
    }
  first_element:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::first_element, at);
    if (*at == ']') goto close;
    goto value;
  after:
    if (place_ == Place::top) return pause(Step::done, at);
  next:
    at = behind_blanks(at, end);
    if (at == end) return pause(Step::next, at);
    if (*at == ',') {
      ++at;
      if (place_ == Place::array) goto value;
      goto key;
    }
    if (*at != (place_ == Place::array ? ']' : '}')) return wrong(at);
  close:
    place_ = outer_[--depth_];
    if (!sink_.close()) return stop(error_code(), at);
    ++at;
    if (is_skipped && !skips()) return pause(place_ == Place::top ? Step::done : Step::next, at);
    goto after;
  }

  // Each checks again whether it is skipped: a key or a value may have changed the sink's answer.
  bool take_key(std::string_view key) { return skips() || sink_.key(key.substr(0, max_key)); }
  bool take_value(const JsonScalar& scalar) { return skips() || sink_.value(scalar); }
  bool take_text(std::string_view text) {
    if (skips()) return true;
    if (!sink_.wants_text()) return sink_.value(JsonScalar(JsonScalar::Kind::text));
    if (text.size() > max_text_ && !sink_.text_too_long()) return false;
    return sink_.value(JsonScalar(JsonScalar::Kind::text, text.substr(0, max_text_)));
  }

  void enter(Place inner) {
    if (depth_ == outer_.size()) outer_.resize(2 * depth_ + 8);
    outer_[depth_++] = std::exchange(place_, inner);
  }

  // The piece ended before `next`.
  const char* pause(Step next, const char* at) noexcept {
    step_ = next;
    return at;
  }

  const char* begin_scalar(const char* at, const char* end) {
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
      token_ = Token::number;
      number_.start();
    } else if (word_.start(*at)) {
      token_ = Token::word;
    } else {
      return wrong(at);
    }
    return resume(at, end);
  }

  const char* resume_as(Token token, const char* at, const char* end) {
    token_ = token;
    string_.start();
    return resume(at, end);
  }

  // A token that began before `at`, perhaps in an earlier piece.
  const char* resume(const char* at, const char* end) {
    switch (token_) {
      case Token::key:
      case Token::text: return resume_text(at, end);
      case Token::number:
        while (at != end && number_.take(*at)) ++at;
        return at == end ? at : end_number(at);
      case Token::word:
        while (at != end && word_.take(*at)) ++at;
        if (!word_.is_whole()) return at == end ? at : wrong(at);
        token_ = Token::none;
        end_value();
        return take_value(word_.scalar()) ? at : stop(error_code(), at);
      case Token::none: break;
    }
    return at;
  }

  const char* resume_text(const char* at, const char* end) {
    const bool is_key = token_ == Token::key;
    const bool is_kept = !skips() && (is_key || sink_.wants_text());
    const auto progress = string_.run(at, end, is_kept ? &buffer_ : nullptr, is_key ? max_key : max_text_ + 1);
    if (progress == JsonStringScan::Progress::bad) return wrong(at);
    if (!is_key && buffer_.size() > max_text_ && !sink_.text_too_long()) return stop(error_code(), at);
    if (progress == JsonStringScan::Progress::more) return at;
    token_ = Token::none;
    bool goes_on = true;
    if (is_key) {
      step_ = Step::colon;
      goes_on = take_key(buffer_);
    } else {
      end_value();
      goes_on = take_text(buffer_);
    }
    buffer_.clear();
    return goes_on ? at : stop(error_code(), at);
  }

  const char* end_number(const char* at) {
    if (!number_.is_whole()) return wrong(at);
    token_ = Token::none;
    end_value();
    return take_value(number_.scalar()) ? at : stop(error_code(), at);
  }

  void end_value() noexcept { step_ = place_ == Place::top ? Step::done : Step::next; }

  void finish() {
    if (token_ == Token::number && number_.is_whole()) end_number(nullptr);
    if (!is_stopped_ && step_ != Step::done) stop(boost::json::make_error_code(boost::json::error::incomplete), nullptr);
  }

  const char* wrong(const char* at) { return stop(boost::json::make_error_code(boost::json::error::syntax), at); }
  const char* stop(const error_code& error, const char* at) {
    is_stopped_ = true;
    error_ = error;
    return at;
  }

  Sink& sink_;
  std::size_t max_depth_;
  std::size_t max_text_;
  boost::container::small_vector<Place, 16> outer_;  // `depth_` levels
  std::size_t depth_ = 0;
  Place place_ = Place::top;
  Step step_ = Step::value;
  Token token_ = Token::none;
  bool is_stopped_ = false;
  JsonStringScan string_;
  JsonNumberScan number_;
  JsonWordScan word_;
  std::string buffer_;
  error_code error_;
};

}  // namespace rollcall
