// Fuzz target: TPU types; the numbers of a parsed type must be consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/accelerator.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t blank = text.find(' ');
  const Result<AcceleratorType> type = blank == std::string_view::npos
                                           ? AcceleratorType::parse(text)
                                           : AcceleratorType::from_config(text.substr(0, blank), text.substr(blank + 1));
  if (!type && type.error().message().empty()) std::abort();
  if (!type) return 0;
  if (type->hosts() * type->chips_per_host() != type->chips() || type->topology().size() != type->chips()) std::abort();
  if (type->host_bounds().size() != type->hosts() || type->chips_per_host_bounds().size() != type->chips_per_host()) std::abort();
  if (type->devices_per_host() * type->hosts() != type->devices()) std::abort();
  const std::string generation(to_string(type->generation()));
  const Result<AcceleratorType> again = AcceleratorType::from_config(generation, type->topology().to_text());
  if (!again || again->chips() != type->chips() || again->name() != type->name()) std::abort();
  for (const int hosts : {1, 2}) {
    const Result<AcceleratorType> other = type->on_hosts(hosts);
    if (other && (other->hosts() != hosts || other->host_bounds().size() != hosts || other->chips() != type->chips())) std::abort();
  }
  return 0;
}
