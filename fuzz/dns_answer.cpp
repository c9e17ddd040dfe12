// Fuzz target: answers of name servers. The first byte chooses the type that is looked for.
#include "net/dns_answer.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  constexpr DnsType types[] = {DnsType::a, DnsType::aaaa, DnsType::srv};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto entries = parse_dns_answer(bytes, types[data[0] % 3], 20);
  require_sane(entries);
  if (entries) require(entries->size() <= 20);
  return 0;
}
