// Lists of instance groups in both forms. Chunk sizes must not change the result, and names and places must be valid in a URL.
#include "resolvers/gce/wire/instance_group.hpp"

#include "check.hpp"

namespace {

template <class Parser>
void check_groups(std::string_view text, std::size_t step) {
  using namespace rollcall;
  Parser whole;
  Result<void> read = whole.feed(text);
  if (read) read = whole.finish();
  require_sane(read);
  require_bounded<Parser>(text);
  Parser parser;
  const Result<void> result = feed_in_pieces(parser, text, step);
  require(result.has_value() == read.has_value());
  if (!result) return;
  require(parser.page() == whole.page());
  for (const InstanceGroup& group : whole.page().groups) {
    require(!group.name.empty() && group.size >= 0);
    for (const std::string* part : {&group.name, &group.zone, &group.region})
      require(part->find_first_of("/? %#\r\n") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_groups<rollcall::InstanceGroupListParser>(text, data[0] % 64 + 1);
  check_groups<rollcall::AggregatedGroupsParser>(text, data[0] % 64 + 1);
  return 0;
}
