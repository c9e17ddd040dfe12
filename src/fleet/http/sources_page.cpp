// /v1/sources: the sources that the service polls, for clients that may read the metrics.

#include <string>
#include <utility>

#include "base/append_formatted.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

std::string source_json(const SourceFacts& source, SteadyTime now) {
  std::string out = "{";
  append_json_field(out, "source", source.key);
  append_formatted(out, ",\"told\":{},\"targets\":{},\"requests_a_minute\":{},\"quota_a_minute\":{}", source.supports_watch, source.targets,
                   source.requests_a_minute, source.quota_a_minute);
  if (const Age age = age_at(source.polled_at, now)) {
    append_formatted(out, ",\"age_ms\":{}", age->count());
  } else {
    out += ",\"age_ms\":null";
  }
  append_json_field(out, "trouble", source.trouble);
  return out + "}";
}

class SourcesPage final : public Page {
 public:
  explicit SourcesPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace

// Other clients get an empty list: names and failures of sources reveal targets.
asio::awaitable<void> SourcesPage::answer(PageRequest request) {
  std::string text = "{\"sources\":[";
  const bool may_read = entry_.admission().may_read_metrics(*request.client);
  for (const SourceFacts& source : entry_.fleet().sources()) {
    if (!may_read) break;
    if (text.back() == '}') text += ',';
    text += source_json(source, entry_.now());
  }
  text += "]}";
  co_await reply_own(entry_, request.exchange, *request.client, browser_head("application/json"), std::move(text));
}

std::unique_ptr<Page> make_sources_page(ServiceEntry& entry) { return std::make_unique<SourcesPage>(entry); }

}  // namespace rollcall::fleet
