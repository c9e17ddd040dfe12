// The line of the process that asked NVML: an accepted one is bounded, and is the same when written and read again.
#include "devices/local/wire/nvml_line.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const Result<NvmlReport> report = parse_nvml_line(std::string_view(reinterpret_cast<const char*>(data), size));
  require_sane(report);
  if (!report) return 0;
  require(report->devices.size() <= max_nvml_devices && report->devices.size() * 2 <= size);
  for (const NvmlDevice& device : report->devices) require(device.instances.size() <= max_nvml_instances && device.index >= 0);
  const std::string line = write_nvml_line(*report);
  const Result<NvmlReport> again = parse_nvml_line(line);
  require(again && write_nvml_line(*again) == line);
  return 0;
}
