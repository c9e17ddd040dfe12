// JSON's numbers and its three words, in pieces of any size.
#pragma once

#include <cstdint>
#include <string_view>

#include "json/json_scalar.hpp"

namespace rollcall {

/// A number's grammar (RFC 8259); its value is of no interest.
class JsonNumberScan {
 public:
  void start() noexcept { state_ = State::begin; }
  /// Whether `c` goes on with the number; if not, it has ended before it.
  bool take(char c) noexcept {
    const bool is_digit = c >= '0' && c <= '9';
    switch (state_) {
      case State::begin:
        if (c == '-') return go(State::minus);
        [[fallthrough]];
      case State::minus: return c == '0' ? go(State::zero) : is_digit && go(State::whole);
      case State::whole:
        if (is_digit) return true;
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
  /// Whether a number may end here.
  bool is_whole() const noexcept {
    return state_ == State::zero || state_ == State::whole || state_ == State::fraction || state_ == State::exponent_digits;
  }

 private:
  enum class State : std::uint8_t { begin, minus, zero, whole, point, fraction, exponent, exponent_sign, exponent_digits };
  bool go(State next) noexcept {
    state_ = next;
    return true;
  }
  State state_ = State::begin;
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
