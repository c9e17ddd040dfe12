// Fuzz target: host lists in both grammars. A list that both accept has the same hosts in both; compressing the hosts and expanding them
// again returns the same hosts.
#include "rollcall/host_list.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t max = 3000;
  const auto wide = expand_host_list(text, HostListGrammar::scontrol, max);
  const auto strict = expand_host_list(text, HostListGrammar::tensorflow, max);
  require_sane(wide);
  require_sane(strict);
  if (wide && strict) require(*wide == *strict);
  if (!wide) return 0;
  require(wide->size() <= max);
  const auto folded = compress_host_list(*wide);
  require(folded.has_value());
  const auto again = expand_host_list(*folded, HostListGrammar::tensorflow, max);
  require(again.has_value() && *again == *wide);
  return 0;
}
