// A watch. The first byte selects the chunk sizes, which must not change the result.
#include "resolvers/kubernetes/wire/watch_event.hpp"

#include <vector>

#include "check.hpp"
#include "json/watch_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto events_in = [text](std::size_t step) {
    std::vector<std::string> events;
    WatchLines lines(64 * 1024);
    for (std::size_t at = 0; at < text.size(); at += step) {
      const std::string piece(text.substr(at, step));
      const Result<void> fed = lines.feed(piece, [&events](std::string_view line) {
        const Result<WatchEvent> event = parse_watch_event(line);
        require_sane(event);
        if (!event) return Result<void>(event.error());
        events.push_back(std::to_string(static_cast<int>(event->type)) + event->resource_version + event->pod.name);
        return Result<void>();
      });
      require_sane(fed);
      if (!fed) return events;
    }
    return events;
  };
  require(events_in(data[0] % 64 + 1) == events_in(text.size() + 1));
  return 0;
}
