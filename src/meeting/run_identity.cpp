#include "meeting/run_identity.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/text.hpp"
#include "crypto/signature.hpp"

namespace rollcall::meeting {

std::string name_of_run(std::string_view purpose, const std::vector<MeetingTask>& tasks, std::string_view run) {
  std::string all = fmt::format("rollcall {} 1\n{}\n{}\n", purpose, run, tasks.size());
  for (const MeetingTask& task : tasks) all += fmt::format("{} {}\n", task.name, to_lower(task.address.to_text()));
  return to_hex(sha256(all)).substr(0, 16);
}

std::string new_incarnation(Runtime::Impl& runtime) {
  const std::uint32_t high = runtime.random_bits();
  const std::uint32_t low = runtime.random_bits();
  return fmt::format("{:08x}{:08x}", high, low);
}

}  // namespace rollcall::meeting
