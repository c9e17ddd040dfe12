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
#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration longest_unseen = std::chrono::seconds(20);
constexpr Duration longest_renewal = std::chrono::seconds(5);

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
  const SteadyTime until = saturating_sum(began, is_seen ? longest_renewal : longest_unseen);
  const bool waits = is_old_look(known.looked_at, now) && now < until;
  return waits ? std::optional(until) : std::nullopt;
}

}  // namespace

asio::awaitable<bool> FleetRequests::wait_for_looks(ServerExchange& exchange, std::vector<std::shared_ptr<Topic>> topics) {
  const SteadyTime began = now();
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  std::deque<ScrapeListener> listeners;
  for (std::shared_ptr<Topic>& topic : topics) {
    listeners.emplace_back(topic, news);
    if (is_old_look(topic->known().looked_at, began)) topic->look_soon();
  }
  Timer alarm;
  for (;;) {
    SteadyTime until = SteadyTime::min();
    for (const ScrapeListener& one : listeners) until = std::max(until, wait_for(one.topic().known(), began, now()).value_or(until));
    if (until == SteadyTime::min() || is_closing()) co_return true;
    alarm.set(*runtime_->timers, until, [](void* waiting) noexcept { static_cast<AsyncEvent*>(waiting)->wake(); }, &news);
    const bool is_awake = co_await news.wait();
    if (!is_awake || exchange.is_closed()) co_return false;
  }
}

asio::awaitable<void> FleetRequests::tell_scrape_targets(ServerExchange& exchange, AskerPtr asker, SeatPtr seat,
                                                         std::vector<std::shared_ptr<Topic>> topics, std::optional<std::uint16_t> port,
                                                         bool are_named) {
  const SeatPtr taken = std::move(seat);
  // What is named is followed from now on; a list of all keeps nothing alive.
  std::vector<std::shared_ptr<Topic>> named;
  if (are_named) named = topics;
  const bool is_there = co_await wait_for_looks(exchange, std::move(named));
  if (!is_there) co_return;
  std::string text = "[";
  std::size_t steps = 0;
  for (const std::shared_ptr<Topic>& topic : topics) {
    // As the rights are now: they may have changed while it waited.
    const std::optional<Refusal> hidden_now = withdrawn(*asker, topic->target());
    if (hidden_now && (are_named || hidden_now->status != 403)) {  // a list that lacks what may be read would end its scraping
      Refusal refusal = *hidden_now;
      co_await refuse(exchange, std::move(refusal));
      co_return;
    }
    const Known known = topic->known();
    if (hidden_now || is_absent(known)) continue;
    if (!known.status && are_named) {
      const std::string why = known.failure ? known.failure->what() : known.trouble.empty() ? "it has not been seen yet" : known.trouble;
      Refusal refusal(503, Failure(Errc::unavailable, fmt::format("{}: {}", printable(topic->target()), why)));
      refusal.target = topic->target();
      co_await refuse(exchange, std::move(refusal));
      co_return;
    }
    const Result<Target> target = Target::parse(topic->target());
    if (!known.status || !target) continue;
    for (const Member& member : known.status->members) {
      append_scrape_target(text, *target, member, port);
      if (++steps % steps_a_turn == 0) co_await next_turn();
    }
  }
  text += "\n]\n";
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  const Body body = co_await pack(std::move(text));
  co_await reply_body(exchange, std::move(head), body);
}

asio::awaitable<void> FleetRequests::handle_scrape(ServerExchange& exchange, RequestNotes& notes, AskerPtr asker, std::string_view query) {
  Result<ScrapeQuestion> question = ScrapeQuestion::parse(query);
  if (!question) return refuse(exchange, Refusal(400, question.error()));
  SeatPtr seat;
  if (std::optional<Refusal> refusal = take_seat(asker, seat)) return refuse(exchange, std::move(*refusal));
  std::vector<std::shared_ptr<Topic>> topics;
  for (Target& target : question->targets) {
    if (std::optional<Refusal> refusal = refusal_of_target(target, *asker)) return refuse(exchange, std::move(*refusal));
    FleetQuestion about(std::move(target));
    if (logs_requests()) notes.question += fmt::format("{}target={}", notes.question.empty() ? '?' : '&', about.target.to_text());
    Result<std::shared_ptr<Topic>> topic = topic_of(about, *asker);
    if (!topic) return refuse(exchange, refusal_of_topic(about.target, topic.error()));
    topics.push_back(std::move(*topic));
  }
  const bool are_named = !topics.empty();
  if (!are_named) {
    topics = fleet_->topics();
    std::erase_if(topics, [](const std::shared_ptr<Topic>& topic) { return !topic->is_followed(); });
  }
  return tell_scrape_targets(exchange, std::move(asker), std::move(seat), std::move(topics), question->port, are_named);
}

}  // namespace rollcall::fleet
