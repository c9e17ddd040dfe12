// Fuzz target: an event stream. The first byte sets the size of the pieces, which must not matter. Events that were read can be written
// and read again.
#include "fleet/wire/event_stream.hpp"

#include <vector>

#include "base/text.hpp"
#include "check.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

constexpr std::size_t max_bytes = 1024;

std::vector<ServerEvent> read_events(std::string_view text, std::size_t step, bool& is_fine) {
  EventStreamReader reader(max_bytes);
  std::vector<ServerEvent> events;
  is_fine = true;
  for (std::size_t at = 0; at < text.size() && is_fine; at += step) {
    const Result<void> fed = reader.feed(std::string(text.substr(at, step)));
    require_sane(fed);
    is_fine = fed.has_value();
    while (auto event = reader.next()) events.push_back(std::move(*event));
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  bool is_whole_fine = false;
  bool is_cut_fine = false;
  const std::vector<ServerEvent> whole = read_events(text, text.size() + 1, is_whole_fine);
  const std::vector<ServerEvent> cut = read_events(text, data[0] % 64 + 1, is_cut_fine);
  require(is_whole_fine == is_cut_fine);
  if (is_whole_fine) require(whole.size() == cut.size());
  for (std::size_t i = 0; i < whole.size() && i < cut.size(); ++i) {
    const ServerEvent& event = whole[i];
    require(event.type == cut[i].type && event.data == cut[i].data && event.id == cut[i].id);
    require(!event.type.empty() && event.data.size() <= max_bytes && is_valid_utf8(event.data));
    if (event.type.starts_with(' ') || event.id.starts_with(' ')) continue;
    bool is_fine = false;
    const std::string bytes = render_server_event(event.type, event.data, event.id);
    EventStreamReader again(4 * max_bytes + bytes.size());
    is_fine = again.feed(bytes).has_value();
    const std::optional<ServerEvent> same = again.next();
    require(is_fine && same && same->type == event.type && same->data == event.data && same->id == event.id);
  }
  return 0;
}
