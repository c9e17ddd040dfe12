// GET /v1/prometheus: the members of clusters, for Prometheus to find. An answer of another status than 200 leaves it with the targets that
// it has: so what has never been seen is no empty list, but 503.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration max_unseen = std::chrono::seconds(20);
constexpr Duration max_renewal = std::chrono::seconds(5);

// Listens to a topic for one who asks about many.
class ScrapeListener final : public TopicListener {
 public:
  ScrapeListener(std::shared_ptr<Topic> topic, AsyncEvent& news) : topic_(std::move(topic)), news_(news) { topic_->listen(*this); }
  ~ScrapeListener() override { unlink(); }
  void on_topic() noexcept override { news_.wake(); }
  Topic& topic() const noexcept { return *topic_; }

 private:
  std::shared_ptr<Topic> topic_;
  AsyncEvent& news_;
};

// Until when the answer waits for what is known of one target. None: not at all.
std::optional<SteadyTime> wait_for(const Known& known, SteadyTime began, SteadyTime now) {
  const bool is_seen = known.status || known.failure;
  const SteadyTime until = saturating_sum(began, is_seen ? max_renewal : max_unseen);
  const bool waits = is_old_poll(known.polled_at, now) && now < until;
  return waits ? std::optional(until) : std::nullopt;
}

}  // namespace

asio::awaitable<bool> FleetRequests::wait_for_polls(ServerExchange& exchange, std::vector<std::shared_ptr<Topic>> topics) {
  const SteadyTime began = now();
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  std::deque<ScrapeListener> listeners;
  for (std::shared_ptr<Topic>& topic : topics) {
    listeners.emplace_back(topic, news);
    if (is_old_poll(topic->known().polled_at, began)) topic->refresh_soon();
  }
  for (;;) {
    SteadyTime until = SteadyTime::min();
    for (const ScrapeListener& one : listeners) until = std::max(until, wait_for(one.topic().known(), began, now()).value_or(until));
    if (until == SteadyTime::min() || is_closing()) co_return true;
    const bool is_awake = co_await news.wait_until(*runtime_->timers, until);
    if (!is_awake || exchange.is_closed()) co_return false;
  }
}

asio::awaitable<void> FleetRequests::tell_scrape_targets(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot,
                                                         std::vector<std::shared_ptr<Topic>> topics, std::optional<std::uint16_t> port,
                                                         bool are_named) {
  const StreamSlotPtr taken = std::move(slot);
  // What is named is followed from now on; a list of all keeps nothing alive.
  std::vector<std::shared_ptr<Topic>> named;
  if (are_named) named = topics;
  const bool is_there = co_await wait_for_polls(exchange, std::move(named));
  if (!is_there) co_return;
  for (const std::shared_ptr<Topic>& topic : topics) {
    std::optional<Refusal> refusal = refusal_of_scrape(*topic, *client, are_named);
    if (!refusal) continue;
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  if (is_bodiless(exchange)) {
    co_await reply_bodiless(exchange, std::move(head));
    co_return;
  }
  OwnAnswer answer(*this, exchange, *client, std::move(head));
  answer.text = "[";
  std::size_t steps = 0;
  for (const std::shared_ptr<Topic>& topic : topics) {
    // Others may have been written for minutes.
    std::optional<Refusal> refusal = refusal_of_scrape(*topic, *client, are_named);
    if (refusal) {
      co_await answer.give_up(std::move(*refusal));
      co_return;
    }
    const Result<Target> target = Target::parse(topic->target());
    std::shared_ptr<const ClusterStatus> status;
    if (target && !is_absent(topic->known()) && may_see(*client, *target)) status = topic->known().status;
    if (!status) continue;
    for (const Member& member : status->members) {
      append_scrape_target(answer.text, *target, member, port);
      if (++steps % steps_a_turn == 0) co_await next_turn();
      bool goes_on = true;
      if (answer.is_long()) goes_on = co_await answer.send_piece();
      if (!goes_on) co_return;
    }
  }
  answer.text += "\n]\n";
  co_await answer.finish();
}

// Why a list with the topic cannot be told, as the rights are now: they may have changed while it waited. A list that lacks what may be
// read would end its scraping.
std::optional<Refusal> FleetRequests::refusal_of_scrape(const Topic& topic, const Client& client, bool is_named) const {
  std::optional<Refusal> refusal = withdrawn(client, topic.target());
  if (refusal) return is_named || refusal->status != 403 ? refusal : std::nullopt;
  const Known& known = topic.known();
  if (is_absent(known) || known.status || !is_named) return std::nullopt;
  const std::string why = known.failure ? known.failure->what() : known.trouble.empty() ? "it has not been seen yet" : known.trouble;
  refusal.emplace(503, Failure(Errc::unavailable, fmt::format("{}: {}", printable(topic.target()), why)));
  refusal->target = topic.target();
  return refusal;
}

asio::awaitable<void> FleetRequests::handle_scrape(ServerExchange& exchange, RequestNotes& notes, ClientPtr client,
                                                   std::string_view query) {
  Result<ScrapeQuestion> question = ScrapeQuestion::parse(query);
  if (!question) return refuse(exchange, Refusal(400, question.error()));
  StreamSlotPtr slot;
  if (std::optional<Refusal> refusal = acquire_slot(client, slot)) return refuse(exchange, std::move(*refusal));
  std::vector<std::shared_ptr<Topic>> topics;
  for (Target& target : question->targets) {
    if (std::optional<Refusal> refusal = refusal_of_target(target, *client)) return refuse(exchange, std::move(*refusal));
    FleetQuestion about(std::move(target));
    Result<std::shared_ptr<Topic>> topic = topic_of(about, *client);
    if (!topic) return refuse(exchange, refusal_of_topic(about.target, topic.error()));
    if (std::find(topics.begin(), topics.end(), *topic) != topics.end()) continue;  // in whatever spelling it is named again
    if (logs_requests()) notes.question += fmt::format("{}target={}", notes.question.empty() ? '?' : '&', about.target.to_text());
    topics.push_back(std::move(*topic));
  }
  const bool are_named = !topics.empty();
  if (!are_named) {
    topics = fleet_->topics();
    std::erase_if(topics, [](const std::shared_ptr<Topic>& topic) { return !topic->is_followed(); });
  }
  return tell_scrape_targets(exchange, std::move(client), std::move(slot), std::move(topics), question->port, are_named);
}

}  // namespace rollcall::fleet
