// /etc/resolv.conf's options: values within glibc's limits, few options reported, and no control characters.
#include "net/dns/wire/resolv_conf.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ResolverOptions options = parse_resolver_options(text);
  options.take(text);
  if (options.timeout) require(options.timeout->count() >= 1 && options.timeout->count() <= 30);
  if (options.attempts) require(*options.attempts >= 1 && *options.attempts <= 5);
  require(options.unfollowed.size() <= 5);
  for (const std::string& one : options.unfollowed) require(!one.empty() && printable(one, one.size()) == one);
  return 0;
}
