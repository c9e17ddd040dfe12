#include "call/rules/secret_spellings.hpp"

#include <algorithm>
#include <string_view>

#include "base/base64.hpp"

namespace rollcall {
namespace {

constexpr std::size_t bits_of_byte = 8;
constexpr std::size_t bits_of_digit = 6;  // of Base64

// The text as it appears inside a Base64 text after `before` bytes, modulo three.
Secret<std::string> encoded_behind(std::size_t before, std::string_view secret) {
  std::string text;
  text.reserve(before + secret.size());  // otherwise a copy of the secret remains in memory
  text.append(before, '\0').append(secret);
  const Secret<std::string> shifted(std::move(text));
  const Secret<std::string> whole(base64_encode(shifted.reveal()));
  const std::size_t first = (before * bits_of_byte + bits_of_digit - 1) / bits_of_digit;
  const std::size_t last = (before + secret.size()) * bits_of_byte / bits_of_digit;
  return Secret<std::string>(std::string(whole.reveal().substr(first, last - first)));
}

template <class Change>
void add_changed(std::vector<Secret<std::string>>& spellings, const Secret<std::string>& spelling, Change change) {
  std::string text(spelling.reveal());
  std::transform(text.begin(), text.end(), text.begin(), change);
  Secret<std::string> changed(std::move(text));
  if (changed != spelling) spellings.push_back(std::move(changed));
}

}  // namespace

std::vector<Secret<std::string>> spellings_of(const Secret<std::string>& secret) {
  std::vector<Secret<std::string>> spellings;
  spellings.push_back(secret);
  add_changed(spellings, secret, [](char c) { return c == ' ' ? '+' : c; });
  for (std::size_t before = 0; before < 3; ++before) {
    spellings.push_back(encoded_behind(before, secret.reveal()));
    const Secret<std::string> usual = spellings.back();
    add_changed(spellings, usual, [](char c) { return c == '+' ? '-' : c == '/' ? '_' : c; });
  }
  return spellings;
}

}  // namespace rollcall
