// Fuzz target: device names; a parsed name must print and parse to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/device.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Device> device = Device::parse(text);
  if (!device && device.error().message().empty()) std::abort();
  if (!device) return 0;
  const Result<Device> again = Device::parse(device->to_text());
  if (!again || *again != *device) std::abort();
  return 0;
}
