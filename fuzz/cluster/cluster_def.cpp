// Fuzz target: ClusterDef bytes; a parsed cluster must survive JSON and ClusterDef.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "rollcall/cluster_spec.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ClusterSpec> spec = ClusterSpec::from_cluster_def(text);
  if (!spec && spec.error().message().empty()) std::abort();
  if (!spec) return 0;
  const std::string bytes = spec->to_cluster_def();
  const Result<ClusterSpec> def = ClusterSpec::from_cluster_def(bytes);
  if (!def || !(*def == *spec) || def->to_cluster_def() != bytes) std::abort();
  const Result<ClusterSpec> json = ClusterSpec::from_json(spec->to_json());
  if (!json || !(*json == *spec)) std::abort();
  (void)spec->to_text();
  return 0;
}
