// A list of pods. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/kubernetes/wire/pod_list.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
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
