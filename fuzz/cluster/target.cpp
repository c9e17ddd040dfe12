// Fuzz target: targets; a parsed target must print in shell-safe characters and parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/target.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Target> target = Target::parse(text);
  if (!target && target.error().message().empty()) std::abort();
  if (!target) return 0;
  const std::string printed = target->to_text();
  constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:/@,=+%";
  if (printed.find_first_not_of(safe) != std::string::npos) std::abort();
  if (printed.size() > 64 * 1024) return 0;  // escapes made it too long to be read again
  const Result<Target> again = Target::parse(printed);
  if (!again || *again != *target) std::abort();
  return 0;
}
