// A list of pods: the first byte says how it is cut into chunks, which must not matter.
#include "parse/pod_list.hpp"

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
  Result<void> result;
  const std::size_t step = data[0] % 64 + 1;
  for (std::size_t at = 0; at < text.size() && result; at += step) result = parser.feed(std::string(text.substr(at, step)));
  if (result) result = parser.finish();
  require_sane(result);
  require(result.has_value() == whole.has_value());
  if (!result) return 0;
  require(pods == whole->pods);
  require(parser.next_page() == whole->next_page);
  return 0;
}
