// One page of nodes.list, chunk by chunk.
#include "resolvers/tpu/wire/tpu_node_list.hpp"

#include "json/json_feed.hpp"
#include "resolvers/tpu/wire/tpu_node_list_builder.hpp"

namespace rollcall {

class TpuNodeListParser::Impl {
 public:
  Impl(std::optional<WantedIds> wanted, const ParseLimits& limits) : feed("the list of TPU nodes", limits, std::move(wanted), limits) {}
  TpuNodeListBuilder& builder() { return feed.sink; }
  JsonFeed<TpuNodeListBuilder> feed;
};

TpuNodeListParser::TpuNodeListParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(std::nullopt, limits)) {}
TpuNodeListParser::TpuNodeListParser(WantedIds wanted, const ParseLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(wanted), limits)) {}
TpuNodeListParser::~TpuNodeListParser() = default;
TpuNodeListParser::TpuNodeListParser(TpuNodeListParser&&) noexcept = default;
TpuNodeListParser& TpuNodeListParser::operator=(TpuNodeListParser&&) noexcept = default;

Result<void> TpuNodeListParser::feed(std::string_view chunk) { return impl_->feed.put(chunk); }
Result<void> TpuNodeListParser::finish() { return impl_->feed.finish(); }
std::vector<TpuNode> TpuNodeListParser::take_nodes() { return std::exchange(impl_->builder().list.nodes, {}); }
std::vector<TpuNodeListParser::Fault> TpuNodeListParser::take_faults() { return std::exchange(impl_->builder().list.faults, {}); }
const std::string& TpuNodeListParser::next_page_token() const { return impl_->builder().list.next_page_token; }
const std::vector<std::string>& TpuNodeListParser::unreachable() const { return impl_->builder().list.unreachable; }

MemoryShare& TpuNodeListParser::memory() { return impl_->builder().memory(); }

Result<TpuNodeList> parse_tpu_node_list(std::string_view json, const ParseLimits& limits) {
  TpuNodeListParser parser(limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  TpuNodeList list;
  list.nodes = parser.take_nodes();
  list.faults = parser.take_faults();
  list.next_page_token = parser.next_page_token();
  list.unreachable = parser.unreachable();
  return list;
}

}  // namespace rollcall
