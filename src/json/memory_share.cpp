#include "json/memory_share.hpp"

#include <fmt/format.h>

namespace rollcall {

Failure too_much_memory(std::string_view document, const MemoryShare& share) {
  return Failure(Errc::limit_exceeded,
                 fmt::format("{} would take over {} bytes of memory, together with what else is being read", document, share.limit()))
      .with_hint("see what answers there, or ask for less at a time; a program may raise Limits::max_memory_bytes");
}

}  // namespace rollcall
