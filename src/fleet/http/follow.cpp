// Streams: what is new is told, the latest only, when the client can take it.
#include <algorithm>

#include "base/backoff.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration usual_beat = std::chrono::seconds(10);
constexpr double beat_jitter = 0.2;
constexpr std::size_t comebacks_a_second = 500;  // when all followers have lost their stream at once
constexpr std::chrono::milliseconds shortest_retry{1000};

void wake(void* news) noexcept { static_cast<AsyncEvent*>(news)->wake(); }

// Its client comes back after a random part of this time (full jitter).
std::chrono::milliseconds retry_of(std::size_t followers) {
  return std::max(shortest_retry, std::chrono::milliseconds(followers * 1000 / comebacks_a_second));
}

}  // namespace

asio::awaitable<bool> FleetRequests::open_stream(ServerExchange& exchange, SharedBytes first) {
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "text/event-stream");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("X-Accel-Buffering", "no");
  head.headers.add("X-Content-Type-Options", "nosniff");
  head.headers.add("Vary", "Accept, Accept-Encoding");
  const bool is_open = co_await exchange.start_chunks(head);
  if (!is_open) co_return false;
  co_return co_await exchange.write_chunk(*first);
}

const Ration& FleetRequests::ration() {
  const SteadyTime present = now();
  if (!ration_at_ || present - *ration_at_ > std::chrono::seconds(1)) {
    ration_ = fleet_->ration();
    ration_at_ = present;
  }
  return ration_;
}

// What stays in its frame is what a follower costs.
asio::awaitable<void> FleetRequests::follow(ServerExchange& exchange, SeatPtr seat, std::shared_ptr<ViewGroup> group, std::string self,
                                            Told told) {
  const SeatPtr taken = std::move(seat);
  GroupListener listener(group);
  const ClosedWatch watch(exchange, listener.news);
  group->request();
  SharedBytes next = std::make_shared<const std::string>(render_retry(retry_of(waiting_)) + *group->beat(told, ration()));
  const bool is_open = co_await open_stream(exchange, std::move(next));
  if (!is_open) co_return;
  if (is_old_look(group->topic().known(), now())) group->topic().look_soon();
  SteadyTime beat_at{};
  SteadyTime moved_at = SteadyTime::max();
  bool is_last = false;
  bool has_told = true;
  Timer alarm;
  while (!is_last) {
    const SteadyTime present = now();
    if (has_told) beat_at = present + with_jitter(usual_beat, 1 - beat_jitter, 2 * beat_jitter, runtime_->uniform());
    if (is_closing() && moved_at == SteadyTime::max()) moved_at = *closing_at_ + with_jitter(closing_spread_, 0, 1, runtime_->uniform());
    has_told = false;
    // A verdict that ends the stream comes from a fresh look.
    const bool is_verdict_old = group->made() && group->made()->failure && is_old_look(group->topic().known(), present);
    std::optional<GroupEvent> event;
    if (present >= moved_at) {
      const std::string position = group->position_of(told.position).to_text();
      event.emplace(std::make_shared<const std::string>(render_server_event("moved", "{}", position)), true);
    } else if (group->has_event(told) || present >= beat_at) {
      // Made when it can leave: what waits in a queue would grow old there, and something newer may come meanwhile.
      const bool may_write = co_await exchange.wait_writable();
      if (!may_write) co_return;
      if (!is_verdict_old) event = group->next_event(told, self);
      if (!event && now() >= beat_at) event.emplace(group->beat(told, ration()), false);
    }
    if (event) {
      const bool is_sent = co_await exchange.write_chunk(*event->bytes);
      if (!is_sent) co_return;
      is_last = event->ends;
      has_told = true;
      continue;
    }
    const SteadyTime until = std::min(beat_at, moved_at);
    alarm.set(*runtime_->timers, until, wake, &listener.news);
    const bool is_awake = co_await listener.news.wait();
    if (!is_awake || exchange.is_closed()) co_return;
  }
  co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
