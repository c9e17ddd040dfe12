#include "sim/serve/wire_faults.hpp"

namespace rollcall::sim {

std::string corrupted_body(const Reply& reply) {
  std::string body = reply.body;
  if (reply.fault.kind == FaultKind::corrupt) {
    for (std::size_t i = 0; i < body.size(); i += 11) body[i] = static_cast<char>(body[i] ^ '\x80');
  }
  return body;
}

std::size_t wrong_length(const Fault& fault, std::size_t body_size) { return fault.bytes.value_or(body_size + 16); }

}  // namespace rollcall::sim
