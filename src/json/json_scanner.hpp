// An event parser of our own: feeds the sinks of json_sax.hpp as Boost.JSON's basic_parser does, at seven tenths of the cost (10,000 pods:
// 13 ms instead of 19, with managedFields 41 instead of 59). As strict as that one (RFC 8259, UTF-8, bounded depth), with the one
// difference that only integers of 63 bits have a value: any other number of the right form is one. The price: 500 lines that a
// differential fuzz target (fuzz/json/json_scanner.cpp) must keep honest. Include from .cpp files.
#pragma once

#include <algorithm>
#include <boost/json/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/json_scalar.hpp"
#include "json/json_tokens.hpp"

namespace rollcall {

/// See json_sax.hpp for what a Sink has.
template <class Sink>
class JsonScanner {
 public:
  using error_code = boost::json::error_code;

  JsonScanner(Sink& sink, std::size_t max_depth, std::size_t max_text) : sink_(sink), max_depth_(max_depth), max_text_(max_text) {}

  /// The next bytes, and whether more may follow. Returns how many are part of the document. `error` is set for what is no JSON; a sink
  /// that stops the reading says so itself. No further call after either.
  std::size_t write_some(bool is_more, const char* data, std::size_t size, error_code& error) {
    const char* const end = data + size;
    const char* at = data;
    if (token_ != Token::none) at = resume(at, end);
    if (!is_stopped_) at = scan(at, end);
    if (!is_more && !is_stopped_) finish();
    error = error_;
    return static_cast<std::size_t>(at - data);
  }

 private:
  enum class Step : std::uint8_t { value, first_element, first_key, key, colon, next, done };
  enum class Token : std::uint8_t { none, key, text, number, word };  // that the last piece ended within

  static constexpr std::size_t max_key = 64;

  bool skips() const {
    if constexpr (requires(const Sink& sink) { sink.skips(); }) {
      return sink_.skips();
    } else {
      return false;
    }
  }

  // Most are none: one comparison says so.
  static bool is_blank(char c) noexcept {
    return static_cast<unsigned char>(c) <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
  }
  // Leads to what is not blank, if the piece has it.
  static bool find_mark(const char*& at, const char* end) noexcept {
    while (at != end && is_blank(*at)) ++at;
    return at != end;
  }

  static std::string_view first_of(const char* at, const char* end, std::size_t most) noexcept {
    return std::string_view(at, std::min(static_cast<std::size_t>(end - at), most));
  }

  // A label for each step, since most steps have only one that follows: a loop over `step_` takes half as long again.
  const char* scan(const char* at, const char* const end) {
    const char* special = nullptr;
  dispatch:
    switch (step_) {
      case Step::value: goto value;
      case Step::first_element: goto first_element;
      case Step::first_key: goto first_key;
      case Step::key: goto key;
      case Step::colon: goto colon;
      case Step::next: goto next;
      case Step::done: find_mark(at, end); return at;
    }

  first_key:
    if (!find_mark(at, end)) return pause(Step::first_key, at);
    if (*at == '}') goto close;
  key:
    if (!find_mark(at, end)) return pause(Step::key, at);
    if (*at != '"') return wrong(at);
    special = find_special_in_text(at + 1, end);
    if (special == end || *special != '"') {
      at = resume_as(Token::key, at + 1, end);
      if (is_stopped_ || token_ != Token::none) return at;
    } else {
      // Most texts are within one piece and plain: they are never copied.
      if (!skips() && !sink_.key(first_of(at + 1, special, max_key))) return stop(error_code(), at);
      at = special + 1;
    }
  colon:
    if (!find_mark(at, end)) return pause(Step::colon, at);
    if (*at != ':') return wrong(at);
    ++at;
  value:
    if (!find_mark(at, end)) return pause(Step::value, at);
    if (*at == '"') {
      special = find_special_in_text(at + 1, end);
      if (special == end || *special != '"') {
        at = resume_as(Token::text, at + 1, end);
        if (is_stopped_ || token_ != Token::none) return at;
        goto dispatch;
      }
      if (!skips() && !take_text(std::string_view(at + 1, special))) return stop(error_code(), at);
      at = special + 1;
      goto after;
    }
    if (*at == '{' || *at == '[') {
      if (outer_.size() == max_depth_) return stop(boost::json::make_error_code(boost::json::error::too_deep), at);
      const bool is_array = *at == '[';
      if (!sink_.open(is_array)) return stop(error_code(), at);
      outer_.push_back(is_in_array_ ? 1 : 0);
      is_in_array_ = is_array;
      ++at;
      if (!is_array) goto first_key;
    } else if (const char* const behind = end_of_short_number(at, end)) {
      const char* const begin = std::exchange(at, behind);
      if (!skips() && !sink_.value(short_number(begin, behind))) return stop(error_code(), at);
      goto after;
    } else {
      at = begin_scalar(at, end);
      if (is_stopped_ || token_ != Token::none) return at;
      goto dispatch;
    }
  first_element:
    if (!find_mark(at, end)) return pause(Step::first_element, at);
    if (*at == ']') goto close;
    goto value;
  after:
    if (outer_.empty()) {
      step_ = Step::done;
      goto dispatch;
    }
  next:
    if (!find_mark(at, end)) return pause(Step::next, at);
    if (*at == ',') {
      ++at;
      if (is_in_array_) goto value;
      goto key;
    }
    if (*at != (is_in_array_ ? ']' : '}')) return wrong(at);
  close:
    is_in_array_ = outer_.back() != 0;
    outer_.pop_back();
    if (!sink_.close()) return stop(error_code(), at);
    ++at;
    goto after;
  }

  // Behind a number of a few digits that is whole in this piece, as most are; null: it is none.
  static const char* end_of_short_number(const char* at, const char* end) noexcept {
    constexpr std::ptrdiff_t few = 18;  // digits, whose value any std::int64_t has room for
    const char* digit = at;
    while (digit != end && digit - at < few && *digit >= '0' && *digit <= '9') ++digit;
    const bool is_plain = digit - at == 1 || (digit != at && *at != '0');
    return is_plain && digit != end && (*digit == ',' || *digit == '}' || *digit == ']') ? digit : nullptr;
  }
  static JsonScalar short_number(const char* at, const char* end) noexcept {
    JsonScalar scalar(JsonScalar::Kind::integer);
    for (; at != end; ++at) scalar.integer = scalar.integer * 10 + (*at - '0');
    return scalar;
  }

  // The piece has ended before `next`.
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

  bool take_text(std::string_view text) {
    if (!sink_.wants_text()) return sink_.value(JsonScalar(JsonScalar::Kind::text));
    if (text.size() > max_text_ && !sink_.text_too_long()) return false;
    return sink_.value(JsonScalar(JsonScalar::Kind::text, first_of(text.data(), text.data() + text.size(), max_text_)));
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
        return skips() || sink_.value(word_.scalar()) ? at : stop(error_code(), at);
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
      goes_on = skips() || sink_.key(buffer_);
    } else {
      end_value();
      goes_on = skips() || take_text(buffer_);
    }
    buffer_.clear();
    return goes_on ? at : stop(error_code(), at);
  }

  const char* end_number(const char* at) {
    if (!number_.is_whole()) return wrong(at);
    token_ = Token::none;
    end_value();
    return skips() || sink_.value(number_.scalar()) ? at : stop(error_code(), at);
  }

  void end_value() noexcept { step_ = outer_.empty() ? Step::done : Step::next; }

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
  std::string outer_;  // whether what is open around is an array, a byte each: a few need no memory of their own
  bool is_in_array_ = false;
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
