// A page of an instance group: the first byte says how it is cut into chunks, which must not matter.
#include "parse/instance_group.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<InstanceGroupPage> whole = parse_instance_group(text);
  require_sane(whole);
  InstanceGroupParser parser;
  Result<void> result;
  const std::size_t step = data[0] % 64 + 1;
  for (std::size_t at = 0; at < text.size() && result; at += step) result = parser.feed(std::string(text.substr(at, step)));
  if (result) result = parser.finish();
  require_sane(result);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(parser.page() == *whole);
  require_printable(whole->warning.describe());
  for (const InstanceGroupMember& member : whole->members) {
    require(!member.name.empty() && member.name.find_first_of("/?#% ") == std::string::npos);
    require(member.zone.find_first_of("/?#% ") == std::string::npos);
    for (const auto& [name, port] : member.named_ports) require(!name.empty() && port != 0);
  }
  return 0;
}
