#include "whoami/pod_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {

Result<PodSlice> read_pod_slice(const Environment& environment) {
  const Result<std::optional<int>> slices = number_variable(environment, "MEGASCALE_NUM_SLICES", 0, max_declared_count);
  if (!slices) return slices.error();
  const Result<std::optional<int>> index = number_variable(environment, "MEGASCALE_SLICE_ID", 0, max_declared_count);
  if (!index) return index.error();
  PodSlice own;
  own.slices = slices->value_or(1);
  own.index = *index;
  if (own.index && *slices && *own.index >= std::max(own.slices, 1))
    return Failure(Errc::invalid_argument, fmt::format("MEGASCALE_SLICE_ID is {}, but MEGASCALE_NUM_SLICES is {}", *own.index, own.slices));
  for (const std::string_view name : {"TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES"}) {
    const std::string list = environment.get(name).value_or("");
    if (trim(list).empty()) continue;
    own.hosts = DeclaredCount();
    own.hosts->source = name;
    own.hosts->low = own.hosts->high = static_cast<int>(std::min<std::size_t>(split(list, ',').size(), max_declared_count));
    break;
  }
  return own;
}

std::optional<DeclaredCount> count_of(const Testimony& said, const PodSlice& slice) {
  if (said.rank_name == "TPU_WORKER_ID" || (said.rank_name == "JOB_COMPLETION_INDEX" && slice.slices > 1)) return slice.hosts;
  if (!said.size) return std::nullopt;
  DeclaredCount count;
  count.source = said.size_name;
  count.low = *said.size;
  count.high = said.max_size.value_or(*said.size);
  return count;
}

}  // namespace rollcall
