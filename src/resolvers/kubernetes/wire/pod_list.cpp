// Parses a page of pods, chunk by chunk.
#include "resolvers/kubernetes/wire/pod_list.hpp"

#include <utility>

#include "json/json_sax.hpp"
#include "resolvers/kubernetes/wire/pod_list_builder.hpp"

namespace rollcall {

class PodListParser::Impl {
 public:
  Impl(Consumer consumer, PodDetail detail, const ParseLimits& limits)
      : feed("the list of pods", limits, std::move(consumer), detail, limits) {}
  JsonFeed<PodListBuilder> feed;
};

PodListParser::PodListParser(Consumer consumer, PodDetail detail, const ParseLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(consumer), detail, limits)) {}
PodListParser::~PodListParser() = default;
PodListParser::PodListParser(PodListParser&&) noexcept = default;
PodListParser& PodListParser::operator=(PodListParser&&) noexcept = default;

Result<void> PodListParser::feed(std::string_view chunk) { return impl_->feed.put(chunk); }

Result<void> PodListParser::finish() {
  const Result<void> ended = impl_->feed.finish();
  if (!ended) return ended;
  return impl_->feed.sink.check_complete();
}

const std::string& PodListParser::next_page() const { return impl_->feed.sink.next_page; }
const std::string& PodListParser::resource_version() const { return impl_->feed.sink.resource_version; }

Result<PodList> parse_pod_list(std::string_view json, const ParseLimits& limits) {
  PodList list;
  PodListParser parser(
      [&list](Pod& pod) {
        list.pods.push_back(std::move(pod));
        return Result<void>();
      },
      limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  list.next_page = parser.next_page();
  return list;
}

}  // namespace rollcall
