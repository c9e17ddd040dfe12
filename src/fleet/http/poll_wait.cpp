#include "fleet/http/poll_wait.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "async/async_event.hpp"
#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration old_poll = std::chrono::seconds(10);
constexpr Duration max_unseen = std::chrono::seconds(20);
constexpr Duration max_renewal = std::chrono::seconds(5);

class PollListener final : public TopicListener {
 public:
  PollListener(std::shared_ptr<Topic> topic, AsyncEvent& news) : topic_(std::move(topic)), news_(news) { topic_->listen(*this); }
  ~PollListener() override { unlink(); }
  void on_topic() noexcept override { news_.wake(); }
  Topic& topic() const noexcept { return *topic_; }

 private:
  std::shared_ptr<Topic> topic_;
  AsyncEvent& news_;
};

// The latest time until which an answer waits for a poll of one topic. None: it does not wait.
std::optional<SteadyTime> wait_for(const Known& known, SteadyTime began, SteadyTime now) {
  const bool is_seen = known.status || known.failure;
  const SteadyTime until = saturating_sum(began, is_seen ? max_renewal : max_unseen);
  const bool waits = is_old_poll(known.polled_at, now) && now < until;
  return waits ? std::optional(until) : std::nullopt;
}

}  // namespace

bool is_old_poll(const std::optional<SteadyTime>& polled_at, SteadyTime now) noexcept { return !polled_at || now - *polled_at > old_poll; }

asio::awaitable<bool> wait_for_polls(ServiceEntry& entry, ServerExchange& exchange, std::vector<std::shared_ptr<Topic>> topics) {
  const SteadyTime began = entry.now();
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  std::deque<PollListener> listeners;
  for (std::shared_ptr<Topic>& topic : topics) {
    listeners.emplace_back(topic, news);
    if (is_old_poll(topic->known().polled_at, began)) topic->refresh_soon();
  }
  for (;;) {
    SteadyTime until = SteadyTime::min();
    for (const PollListener& one : listeners) until = std::max(until, wait_for(one.topic().known(), began, entry.now()).value_or(until));
    if (until == SteadyTime::min() || entry.is_closing()) co_return true;
    const bool is_awake = co_await news.wait_until(*entry.runtime()->timers, until);
    if (!is_awake || exchange.is_closed()) co_return false;
  }
}

}  // namespace rollcall::fleet
