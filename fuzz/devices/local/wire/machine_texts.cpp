// Texts of /proc and /sys about accelerators: everything is read, nothing is longer than the text.
#include "devices/local/wire/machine_texts.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const NvidiaInformation information = parse_nvidia_information(text);
  require(information.model.size() + information.uuid.size() + information.bus.size() <= size);
  if (information.minor) require(*information.minor >= 0 && *information.minor <= 1'000'000);
  const std::string version = parse_nvidia_version(text);
  require(version.find_first_not_of("0123456789.") == std::string::npos);
  const KfdProperties node = parse_kfd_properties(text);
  require(node.render_minor >= -1 && node.render_minor <= 1'000'000 && node.bus.size() <= 16);
  parse_pci_number(text);
  if (const std::optional<int> number = number_behind("nvidia", text)) require("nvidia" + std::to_string(*number) == text);
  return 0;
}
