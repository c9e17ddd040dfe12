// One page of nodes.list, chunk by chunk.
#include "parse/tpu_node_list.hpp"

#include "parse/json_failure.hpp"
#include "parse/json_sax.hpp"
#include "parse/tpu_node_list_builder.hpp"

namespace rollcall {

class TpuNodeListParser::Impl {
 public:
  Impl(std::optional<WantedIds> wanted, const ParseLimits& limits)
      : builder(std::move(wanted), limits), parser(sax_options(limits.max_depth), builder, limits.max_text) {}

  Result<void> write(bool is_more, std::string_view chunk) {
    if (failure) return *failure;
    if (is_more && chunk.empty()) return {};
    const std::size_t first = chunk.find_first_not_of(" \t\r\n");
    if (start.empty() && first != std::string_view::npos) start.assign(chunk.substr(first, 16));
    boost::json::error_code error;
    const std::size_t used = parser.write_some(is_more, chunk.data(), chunk.size(), error);
    if (!error && used < chunk.size()) error = boost::json::make_error_code(boost::json::error::extra_data);
    fed += used;
    if (builder.failure()) {
      failure = builder.failure();
    } else if (error) {
      failure = json_failure("the list of TPU nodes", error, fed, start);
    }
    if (failure) return *failure;
    return {};
  }

  TpuNodeListBuilder builder;
  boost::json::basic_parser<SaxHandler<TpuNodeListBuilder>> parser;
  std::size_t fed = 0;
  std::string start;  // the first bytes that are not blank, to recognise an HTML page
  std::optional<Failure> failure;
};

TpuNodeListParser::TpuNodeListParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(std::nullopt, limits)) {}
TpuNodeListParser::TpuNodeListParser(WantedIds wanted, const ParseLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(wanted), limits)) {}
TpuNodeListParser::~TpuNodeListParser() = default;
TpuNodeListParser::TpuNodeListParser(TpuNodeListParser&&) noexcept = default;
TpuNodeListParser& TpuNodeListParser::operator=(TpuNodeListParser&&) noexcept = default;

Result<void> TpuNodeListParser::feed(std::string_view chunk) { return impl_->write(true, chunk); }
Result<void> TpuNodeListParser::finish() { return impl_->write(false, std::string_view("", 0)); }
std::vector<TpuNode> TpuNodeListParser::take_nodes() { return std::exchange(impl_->builder.list.nodes, {}); }
std::vector<TpuNodeListParser::Fault> TpuNodeListParser::take_faults() { return std::exchange(impl_->builder.list.faults, {}); }
const std::string& TpuNodeListParser::next_page_token() const { return impl_->builder.list.next_page_token; }
const std::vector<std::string>& TpuNodeListParser::unreachable() const { return impl_->builder.list.unreachable; }

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
