// The namespace in the name of a Kubernetes target. Pure.
#pragma once

#include <string_view>

#include "rollcall/target.hpp"

namespace rollcall {

/// Of `NAMESPACE` and of `NAMESPACE/KIND/NAME`.
inline std::string_view namespace_in(const Target& target) noexcept {
  return std::string_view(target.body).substr(0, target.body.find('/'));
}

}  // namespace rollcall
