// A page of an instance group. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/gce/wire/instance_group.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<InstanceGroupPage> whole = parse_instance_group(text);
  require_sane(whole);
  require_bounded<InstanceGroupParser>(text);
  InstanceGroupParser parser;
  const Result<void> result = feed_in_pieces(parser, text, data[0] % 64 + 1);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(parser.page() == *whole);
  require_printable(whole->warning.describe());
  for (const InstanceGroupMember& member : whole->members) {
    require(!member.name.empty() && member.name.find_first_of("/?#% ") == std::string::npos);
    require(member.zone.find_first_of("/?#% ") == std::string::npos);
    for (const auto& [name, port] : member.named_ports) require(!name.empty() && !port.empty());
  }
  return 0;
}
