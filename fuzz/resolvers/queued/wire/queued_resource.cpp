// A queued resource, and a page whose chunk sizes must not change the result. The names of nodes must be valid in a URL.
#include "resolvers/queued/wire/queued_resource.hpp"

#include "check.hpp"

namespace {

void require_names(const rollcall::QueuedResource& request) {
  for (const auto& spec : request.node_specs) {
    rollcall::require(spec.node_id.find_first_of("/? %#\r\n") == std::string::npos);
    rollcall::require(spec.prefix.find_first_of("/? %#\r\n") == std::string::npos);
    rollcall::require(spec.count >= 0 && spec.count <= 65'536);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<QueuedResource> one = parse_queued_resource(text);
  require_sane(one);
  if (one) require_names(*one);
  const Result<QueuedResourcePage> whole = parse_queued_resource_list(text);
  require_sane(whole);
  require_bounded<QueuedResourceListParser>(text);
  QueuedResourceListParser parser;
  const Result<void> result = feed_in_pieces(parser, text, data[0] % 64 + 1);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(parser.page() == *whole);
  for (const QueuedResource& request : whole->requests) require_names(request);
  return 0;
}
