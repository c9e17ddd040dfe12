// What the name of a `tpu:` target says. Pure.
#pragma once

#include <string_view>

#include "rollcall/scheme_rules.hpp"

namespace rollcall {

/// Which `tpu:` targets a service answers for.
extern const SchemeRules tpu_rules;

/// Before the name of a queued resource.
inline constexpr std::string_view queued_prefix = "qr/";

/// True: it names a queued resource, by `qr/NAME` or by its full resource name.
bool names_queued_resource(const Target& target);

}  // namespace rollcall
