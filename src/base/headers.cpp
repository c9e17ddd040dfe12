// HeaderList: fields in one buffer, each part after its length.
#include <algorithm>
#include <cstring>

#include "base/load.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {
namespace {

// One byte of length is enough for nearly all parts; this value means that a whole number follows.
constexpr unsigned char is_long = 255;

std::size_t room_of(std::string_view part) noexcept { return part.size() + (part.size() < is_long ? 1 : 1 + sizeof(std::size_t)); }

// Returns the end of the number.
char* put_part(char* at, std::string_view part) noexcept {
  const std::size_t size = part.size();
  *at++ = static_cast<char>(size < is_long ? size : is_long);
  if (size >= is_long) {
    std::memcpy(at, &size, sizeof size);
    at += sizeof size;
  }
  return std::copy(part.begin(), part.end(), at);
}

}  // namespace

std::string_view HeaderList::next_part(std::size_t& at) const noexcept {
  std::size_t size = static_cast<unsigned char>(text_[at++]);
  if (size == is_long) {
    size = load<std::size_t>(text_.data() + at);
    at += sizeof size;
  }
  const std::string_view part(text_.data() + at, size);
  at += size;
  return part;
}

void HeaderList::add(std::string_view name, std::string_view value) {
  const std::size_t before = text_.size();
  const std::size_t size = before + room_of(name) + room_of(value);
  if (size > text_.capacity()) reserve_and_wipe(text_, std::max(size, 2 * text_.capacity()));
  text_.resize(size);
  put_part(put_part(text_.data() + before, name), value);
}

void HeaderList::set(std::string_view name, std::string_view value) {
  HeaderList others;
  each([&](std::string_view field, std::string_view kept) {
    if (!equals_ignoring_case(field, name)) others.add(field, kept);
  });
  others.add(name, value);
  text_.swap(others.text_);
}

void HeaderList::reserve(std::size_t bytes) { reserve_and_wipe(text_, bytes); }

std::optional<std::string_view> HeaderList::get(std::string_view name) const {
  std::optional<std::string_view> found;
  each([&](std::string_view field, std::string_view value) {
    if (!found && equals_ignoring_case(field, name)) found = value;
  });
  return found;
}

}  // namespace rollcall
