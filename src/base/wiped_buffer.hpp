// A buffer for what may be a secret: nothing of it is left behind when it grows.
#pragma once

#include <algorithm>
#include <string>

#include "rollcall/secret.hpp"

namespace rollcall {

/// Makes `content` that is `room` bytes long, keeping the first `size`, and wipes where they were.
inline void grow_and_wipe(std::string& content, std::size_t size, std::size_t room) {
  std::string larger(room, '\0');
  std::copy_n(content.data(), size, larger.data());
  wipe(content.data(), content.size());
  content = std::move(larger);
}

}  // namespace rollcall
