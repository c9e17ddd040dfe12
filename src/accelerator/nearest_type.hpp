// Which accelerator type was probably meant by a word that is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// Of the sizes that Google lists: the nearest in number where the generation is right (`v4-30`: `v4-32`), otherwise the nearest
/// in spelling; none when nothing is near.
std::optional<std::string> nearest_type(std::string_view text);

}  // namespace rollcall
