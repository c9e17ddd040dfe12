// JSON's texts, numbers and words (RFC 8259), in pieces of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/json_scalar.hpp"

namespace rollcall {

/// The limit for find_special_in_blocks() when it starts at `begin` or later: at least two more bytes follow its result before `end`.
inline const char* limit_of_blocks(const char* begin, const char* end) noexcept {
  constexpr std::ptrdiff_t block_and_two = 18;
  return end - begin < block_and_two ? begin : end - (block_and_two - 1);
}

/// Advances `at` by blocks of 16 bytes, each of which begins before `limit`, and then to the first byte that is not a plain byte of a text:
/// a quote, a backslash, a control character, or non-ASCII. False: the blocks contain none.
inline bool find_special_in_blocks(const char*& at, const char* limit) noexcept {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(' ' - 1);  // signed comparison: bytes beyond ASCII are negative
  for (; at < limit; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const auto plain = static_cast<unsigned>(_mm_movemask_epi8(_mm_andnot_si128(marks, _mm_cmpgt_epi8(bytes, last_control))));
    if (plain == 0xffff) continue;
    at += __builtin_ctz(~plain);
    return true;
  }
#else
  for (; at < limit; ++at) {
    if (static_cast<signed char>(*at) < ' ' || *at == '"' || *at == '\\') return true;
  }
#endif
  return false;
}

/// The first such byte in [at, end).
inline const char* find_special_in_text(const char* at, const char* end) noexcept {
  if (find_special_in_blocks(at, limit_of_blocks(at, end))) return at;
  while (at != end && static_cast<signed char>(*at) >= ' ' && *at != '"' && *at != '\\') ++at;
  return at;
}

/// The end of a short number or a word that is complete before `end`, as most are; null: it is neither.
inline const char* end_of_short_scalar(const char* at, const char* end) noexcept {
  constexpr std::ptrdiff_t few = 18;  // digits, whose value any std::int64_t can hold
  const char* digit = at;
  while (digit != end && digit - at < few && *digit >= '0' && *digit <= '9') ++digit;
  const bool is_plain = digit - at == 1 || (digit != at && *at != '0');
  if (is_plain) return digit != end && (*digit == ',' || *digit == '}' || *digit == ']') ? digit : nullptr;
  if (end - at < 5) return nullptr;
  if (std::memcmp(at, "true", 4) == 0 || std::memcmp(at, "null", 4) == 0) return at + 4;
  return std::memcmp(at, "false", 5) == 0 ? at + 5 : nullptr;
}

/// The value of a hexadecimal digit.
inline JsonScalar short_scalar(const char* at, const char* end) noexcept {
  const bool is_boolean = *at == 't' || *at == 'f';
  JsonScalar scalar(is_boolean ? JsonScalar::Kind::boolean : *at == 'n' ? JsonScalar::Kind::null : JsonScalar::Kind::integer);
  scalar.boolean = *at == 't';
  if (scalar.kind != JsonScalar::Kind::integer) return scalar;
  for (; at != end; ++at) scalar.integer = scalar.integer * 10 + (*at - '0');
  return scalar;
}

/// The content of a text, between its quotes.
class JsonStringScan {
 public:
  enum class Progress : std::uint8_t { more, closed, bad };

  void start() noexcept { state_ = State::plain; }
  /// Continues reading at `at`, and advances it past the bytes that were read: after the closing quote, or to the invalid byte. The decoded
  /// text is appended to `out` unless that is null, and truncated at `max` bytes. Refused: control characters, wrong escapes, halves of
  /// surrogate pairs, invalid UTF-8.
  Progress run(const char*& at, const char* end, std::string* out, std::size_t max);

 private:
  enum class State : std::uint8_t { plain, escape, hex, low_backslash, low_u, utf8 };

  bool take(char c, std::string* out, std::size_t max);
  bool take_hex(char c, std::string* out, std::size_t max);
  bool begin_utf8(unsigned char lead) noexcept;

  State state_ = State::plain;
  std::uint8_t left_ = 0;  // hexadecimal digits, or bytes of a character
  std::uint8_t lowest_ = 0;  // the range of the next byte of a character
  std::uint8_t highest_ = 0;
  std::uint32_t unit_ = 0;
  std::uint32_t high_ = 0;  // the first half of a surrogate pair; 0: none
};

/// A number. The value is computed only for an integer of 63 bits.
class JsonNumberScan {
 public:
  void start() noexcept { *this = JsonNumberScan(); }
  /// True if `c` continues the number; if not, it has ended before it.
  bool take(char c) noexcept {
    const bool is_digit = c >= '0' && c <= '9';
    switch (state_) {
      case State::begin:
        if (c == '-') {
          is_negative_ = true;
          return go(State::minus);
        }
        [[fallthrough]];
      case State::minus: return c == '0' ? go(State::zero) : is_digit && count(c) && go(State::whole);
      case State::whole:
        if (is_digit) return count(c);
        [[fallthrough]];
      case State::zero: return c == '.' ? go(State::point) : (c == 'e' || c == 'E') && go(State::exponent);
      case State::point: return is_digit && go(State::fraction);
      case State::fraction: return is_digit || ((c == 'e' || c == 'E') && go(State::exponent));
      case State::exponent:
        if (c == '+' || c == '-') return go(State::exponent_sign);
        [[fallthrough]];
      case State::exponent_sign: return is_digit && go(State::exponent_digits);
      case State::exponent_digits: return is_digit;
    }
    return false;
  }
  /// A number that is complete in memory.
  JsonScalar scalar() const noexcept {
    const bool is_integer = state_ == State::zero || state_ == State::whole;
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    if (!is_integer || is_large_ || (!is_negative_ && negated_ == lowest)) return JsonScalar(JsonScalar::Kind::number);
    JsonScalar scalar(JsonScalar::Kind::integer);
    scalar.integer = is_negative_ ? negated_ : -negated_;
    return scalar;
  }
  /// True if a number may end here.
  bool is_whole() const noexcept {
    return state_ == State::zero || state_ == State::whole || state_ == State::fraction || state_ == State::exponent_digits;
  }

 private:
  enum class State : std::uint8_t { begin, minus, zero, whole, point, fraction, exponent, exponent_sign, exponent_digits };
  bool go(State next) noexcept {
    state_ = next;
    return true;
  }
  // The value is kept negative, since the range has one more negative number.
  bool count(char digit) noexcept {
    if (!is_large_) is_large_ = __builtin_mul_overflow(negated_, 10, &negated_) || __builtin_sub_overflow(negated_, digit - '0', &negated_);
    return true;
  }

  State state_ = State::begin;
  bool is_negative_ = false;
  bool is_large_ = false;
  std::int64_t negated_ = 0;
};

/// `true`, `false` or `null`.
class JsonWordScan {
 public:
  /// False: no word begins with `c`.
  bool start(char c) noexcept {
    word_ = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : "";
    rest_ = word_;
    return !word_.empty();
  }
  bool take(char c) noexcept {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool is_whole() const noexcept { return rest_.empty(); }
  JsonScalar scalar() const noexcept {
    JsonScalar scalar(word_ == "null" ? JsonScalar::Kind::null : JsonScalar::Kind::boolean);
    scalar.boolean = word_ == "true";
    return scalar;
  }

 private:
  std::string_view word_;
  std::string_view rest_;
};

}  // namespace rollcall
