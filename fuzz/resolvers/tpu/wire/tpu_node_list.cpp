// A list of TPU nodes. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/tpu/wire/tpu_node_list.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<TpuNodeList> whole = parse_tpu_node_list(text);
  require_sane(whole);
  require_bounded<TpuNodeListParser>(text);
  TpuNodeListParser parser;
  const Result<void> result = feed_in_pieces(parser, text, data[0] % 64 + 1);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(parser.take_nodes() == whole->nodes);
  require(parser.take_faults().size() == whole->faults.size());
  require(parser.next_page_token() == whole->next_page_token);
  require(parser.unreachable() == whole->unreachable);
  return 0;
}
