// Buffers for texts that may be secrets: memory is wiped when they grow, are concatenated or cleared.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall {

/// Replaces `content` by a buffer of `room` bytes, keeps the first `size`, and wipes the old memory.
inline void grow_and_wipe(std::string& content, std::size_t size, std::size_t room) {
  std::string larger(room, '\0');
  std::copy_n(content.data(), size, larger.data());
  wipe(content.data(), content.size());
  content = std::move(larger);
}

/// As std::string::reserve(); the old memory is wiped.
inline void reserve_and_wipe(std::string& text, std::size_t room) {
  if (room <= text.capacity()) return;
  std::string larger;
  larger.reserve(room);
  larger.append(text);
  wipe(text.data(), text.size());
  text = std::move(larger);
}

/// As std::string::append(); the old memory is wiped. `more` must not lie in the text.
inline void append_and_wipe(std::string& text, std::string_view more) {
  const std::size_t size = text.size() + more.size();
  if (size > text.capacity()) reserve_and_wipe(text, std::max(size, 2 * text.capacity()));
  text.append(more);
}

/// As std::string::clear().
inline void clear_and_wipe(std::string& text) noexcept {
  wipe(text.data(), text.size());
  text.clear();
}

/// Removes the first `count` bytes.
inline void drop_front_and_wipe(std::string& text, std::size_t count) noexcept {
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(count), text.end(), text.begin());
  wipe(text.data() + text.size() - count, count);
  text.resize(text.size() - count);
}

/// Concatenates the parts.
inline Secret<std::string> joined_secret(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string text;
  text.reserve(size);
  for (const std::string_view part : parts) text.append(part);
  return Secret<std::string>(std::move(text));
}

}  // namespace rollcall
