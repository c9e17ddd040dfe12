// What the servers agree on about corrupted bodies.
#pragma once

#include <string>

#include "rollcall/sim/cloud.hpp"

namespace rollcall::sim {

/// The body, with wrong bytes in it when the fault says corrupt: every eleventh byte has its top bit flipped.
std::string corrupted_body(const Reply& reply);

/// What Content-Length claims under wrong_length: `bytes`, else 16 more than there are.
std::size_t wrong_length(const Fault& fault, std::size_t body_size);

}  // namespace rollcall::sim
