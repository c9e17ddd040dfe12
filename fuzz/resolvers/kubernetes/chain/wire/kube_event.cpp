// A list of events. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/kubernetes/chain/wire/kube_event.hpp"

#include <string>
#include <vector>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto events_in = [text](std::size_t step) {
    EventBook book;
    EventListParser parser(book, ParseLimits());
    std::vector<std::string> events;
    for (std::size_t at = 0; at < text.size(); at += step) {
      const Result<void> fed = parser.feed(text.substr(at, step));
      require_sane(fed);
      if (!fed) return events;
    }
    const Result<void> done = parser.finish();
    require_sane(done);
    if (!done) return events;
    events.push_back(parser.next_page());
    for (const std::string_view reason : {"FailedMount", "FailedCreate", "Pulling", "Unhealthy"}) {
      for (const KubeEvent* const event : book.with(reason)) {
        require(event->message.size() < 1000);
        require(book.find(event->uid, reason, event->container) != nullptr || event->uid.empty());
        events.push_back(event->label() + event->message);
      }
    }
    return events;
  };
  require(events_in(data[0] % 64 + 1) == events_in(text.size() + 1));
  return 0;
}
