// A list of pods. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/kubernetes/wire/pod_list.hpp"

#include "check.hpp"

namespace {

// All pods with these details, whether the text comes whole or in pieces.
void read_detailed_pods(std::string_view text, std::size_t piece) {
  using namespace rollcall;
  std::vector<Pod> pods[2];
  for (std::vector<Pod>& of_run : pods) {
    PodListParser parser(
        [&of_run](Pod& pod) {
          of_run.push_back(pod);
          return Result<void>();
        },
        PodDetail::readiness, ParseLimits());
    const Result<void> result = feed_in_pieces(parser, text, &of_run == &pods[0] ? text.size() + 1 : piece);
    if (!result) of_run.clear();
  }
  require(pods[0] == pods[1]);
  for (const Pod& pod : pods[0]) {
    const auto total = pod.resources.total();
    require(!total || (total->count >= 0 && total->kind.has_value() == (total->count > 0)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  read_detailed_pods(text, data[0] % 64 + 1);
  const Result<PodList> whole = parse_pod_list(text);
  require_sane(whole);
  std::vector<Pod> pods;
  PodListParser parser([&pods](Pod& pod) {
    pods.push_back(std::move(pod));
    return Result<void>();
  });
  const Result<void> result = feed_in_pieces(parser, text, data[0] % 64 + 1);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(pods == whole->pods);
  require(parser.next_page() == whole->next_page);
  return 0;
}
