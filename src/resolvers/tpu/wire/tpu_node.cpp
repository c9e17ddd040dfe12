// One Cloud TPU node.
#include "resolvers/tpu/wire/tpu_node.hpp"

#include "json/json_failure.hpp"
#include "json/json_sax.hpp"
#include "resolvers/tpu/wire/tpu_node_builder.hpp"

namespace rollcall {

Result<TpuNode> parse_tpu_node(std::string_view json, const ParseLimits& limits) {
  TpuNodeBuilder builder(limits);
  boost::json::basic_parser<SaxHandler<TpuNodeBuilder>> parser(sax_options(limits.max_depth), builder, limits.max_text);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(false, json.data(), json.size(), error);
  if (builder.failure()) return std::move(*builder.failure());
  if (!error && used < json.size()) error = boost::json::make_error_code(boost::json::error::extra_data);
  if (error) return json_failure("the TPU node", error, used, json);
  return builder.take();
}

}  // namespace rollcall
