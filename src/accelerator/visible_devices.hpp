// How many devices a process sees by CUDA_VISIBLE_DEVICES, or by the same variable of another vendor.
#pragma once

#include <optional>
#include <string_view>

namespace rollcall {

/// True for `3`, `GPU-8932f937…`, `MIG-…`: whether there is such a device is not known here.
bool is_device_word(std::string_view word) noexcept;

/// The devices that the list names, as CUDA reads it: the first word that names none ends it, such as -1 or NoDevFiles. Absent: a device
/// stands there twice, a word is part of a device (`0.1` of ZE_AFFINITY_MASK), or the list is too long.
std::optional<int> count_visible(std::string_view list);

}  // namespace rollcall
