// A Compute Engine instance, and a page whose chunk sizes must not change the result. A port can be appended to each resulting address. The
// accelerators of a machine are none, or a bounded number of a kind with a source.
#include "resolvers/gce/wire/instance_list.hpp"

#include "check.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "rollcall/endpoint.hpp"

namespace {

void require_addresses(const rollcall::Instance& instance) {
  for (const auto& one : instance.interfaces) {
    for (const std::string& address : {one.ip, one.ipv6}) {
      if (address.empty()) continue;
      const auto endpoint = rollcall::Endpoint::parse(rollcall::Endpoint(address, 8470).to_text());
      rollcall::require(endpoint && endpoint->host == address && endpoint->port == 8470);
    }
  }
}

void require_accelerators(const rollcall::Instance& instance) {
  const auto those = rollcall::gce_accelerators(instance);
  if (!those) return;
  rollcall::require(those->count >= 0 && !those->kind.empty() && !those->source.empty() && those->source.size() < 200);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<Instance> one = parse_instance(text);
  require_sane(one);
  if (one) require_addresses(*one);
  if (one) require_accelerators(*one);
  const Result<InstancePage> whole = parse_instance_list(text);
  require_sane(whole);
  require_bounded<InstanceListParser>(text);
  InstanceListParser parser;
  const Result<void> result = feed_in_pieces(parser, text, data[0] % 64 + 1);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(parser.page() == *whole);
  for (const Instance& instance : whole->instances) require_addresses(instance);
  return 0;
}
