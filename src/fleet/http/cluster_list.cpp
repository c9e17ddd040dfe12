// GET /v1/clusters: all that are followed, in a line each. Made once a second at most, and judged anew where something has changed.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/turns.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration list_lifetime = std::chrono::seconds(1);
constexpr Duration longest_listing = std::chrono::seconds(30);
constexpr std::size_t packed_from = 1024;

std::string summary_json(const Topic& topic, const ProgressDocument& progress, SteadyTime now) {
  const Known& known = topic.known();
  std::string out = "{";
  append_json_field(out, "target", topic.target());
  append_json_field(out, "phase", to_string(progress.phase));
  append_json_field(out, "state", progress.state);
  fmt::format_to(std::back_inserter(out), ",\"ready\":{},\"total\":{}", progress.ready, progress.total);
  append_json_field(out, "missing", progress.missing);
  if (known.looked_at) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - *known.looked_at);
    fmt::format_to(std::back_inserter(out), ",\"age_ms\":{}", age.count());
  } else {
    out += ",\"age_ms\":null";
  }
  append_json_field(out, "trouble", known.failure ? known.failure->what() : known.trouble);
  fmt::format_to(std::back_inserter(out), ",\"followers\":{}}}", topic.listeners());
  return out;
}

}  // namespace

asio::awaitable<Result<ViewGroup::Body>> FleetRequests::make_list() {
  const std::vector<std::shared_ptr<Topic>> topics = fleet_->topics();
  std::erase_if(summaries_, [](const auto& one) { return one.second.topic.expired(); });
  std::string text = "{\"clusters\":[";
  std::size_t steps = 0;
  for (const std::shared_ptr<Topic>& topic : topics) {
    Summary& summary = summaries_[topic.get()];
    const Known known = topic->known();
    if (summary.topic.expired() || summary.revision != known.revision) {
      FleetQuestion question;
      question.view = View::progress;
      std::shared_ptr<const Failure> lost;
      ProgressDocument progress;
      if (known.status && !known.failure) progress = co_await judge_progress(known, question, topic->target(), lost);
      if (lost && progress.missing.empty()) progress.missing = lost->what();
      summary.topic = topic;
      summary.revision = known.revision;
      summary.progress = std::move(progress);
      steps += 1 + (known.status ? known.status->members.size() : 0);
    }
    if (text.back() == '}') text += ',';
    text += summary_json(*topic, summary.progress, now());
    if (++steps < steps_a_turn) continue;
    steps = 0;
    co_await next_turn();
  }
  text += "]}";
  ViewGroup::Body body;
  body.plain = std::make_shared<const std::string>(std::move(text));
  if (body.plain->size() > packed_from) {
    std::string packed = co_await gzip_in_turns(*body.plain);
    body.packed = std::make_shared<const std::string>(std::move(packed));
  }
  list_ = body;
  list_at_ = now();
  co_return body;
}

asio::awaitable<void> FleetRequests::list_clusters(ServerExchange& exchange) {
  if (!list_at_ || now() - *list_at_ > list_lifetime) {
    CallOptions options;
    options.timeout(longest_listing);
    const auto script = [self = shared_from_this()](Call&) { return self->make_list(); };  // others may wait for it when this one ends
    const Result<ViewGroup::Body> made = co_await list_flight_.run(runtime_, options, "the list of clusters", script);
    if (!made) {
      Refusal refusal(503, made.error());
      co_await refuse(exchange, std::move(refusal));
      co_return;
    }
  }
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  const bool is_packed = list_.packed && takes_gzip(joined_field(exchange.request().headers, "Accept-Encoding"));
  if (is_packed) head.headers.add("Content-Encoding", "gzip");
  const SharedBytes body = is_packed ? list_.packed : list_.plain;
  co_await exchange.reply(head, body);
}

}  // namespace rollcall::fleet
