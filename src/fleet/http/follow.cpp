// Streams: what is new is told, the latest only, when the client can take it.
#include <algorithm>

#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration usual_beat = std::chrono::seconds(10);
constexpr double beat_jitter = 0.2;
constexpr Duration longest_catching_up = std::chrono::seconds(2);
constexpr Duration pause_of_catching_up = std::chrono::milliseconds(50);
constexpr std::size_t comebacks_a_second = 500;  // when all followers have lost their stream at once
constexpr std::chrono::milliseconds shortest_retry{1000};
const Duration slow_reader = ServerLimits().write_time;  // who takes nothing for so long is dropped

void wake(void* news) noexcept { static_cast<AsyncEvent*>(news)->wake(); }

bool is_change(const GroupEvent& event) { return !event.ends && event.type != "beat" && event.type != "trouble"; }

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

// Who comes from another replica, which was ahead, is told nothing older: it waits a while until this one knows as much.
asio::awaitable<bool> FleetRequests::has_caught_up(ServerExchange& exchange) {
  const std::optional<Position> told = Position::parse(joined_field(exchange.request().headers, "Last-Event-ID"));
  const SteadyTime end = saturating_sum(now(), longest_catching_up);
  for (;;) {
    const Position present = fleet_->position();
    if (!told || told->instance != present.instance || told->revision <= present.revision) co_return true;
    if (now() >= end || exchange.is_closed()) co_return false;
    const bool is_awake = co_await sleep_until(*runtime_->timers, std::min(end, now() + pause_of_catching_up));
    if (!is_awake) co_return false;
  }
}

// What stays in its frame is what a follower costs.
asio::awaitable<void> FleetRequests::follow(ServerExchange& exchange, RequestNotes& notes, AskerPtr asker, SeatPtr seat,
                                            std::shared_ptr<ViewGroup> group, std::string self) {
  const SeatPtr taken = std::move(seat);
  std::uint64_t judged_at = rights_version();
  const bool may_begin = co_await has_caught_up(exchange);
  if (!may_begin) {
    Failure why(Errc::unavailable, "this replica of the service does not know yet what the client was told before");
    Refusal refusal(503, std::move(why).with_hint("ask again, or another replica"));
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  // It may have waited for a while.
  const bool is_judged = judged_at == rights_version() && !is_over(*asker);
  std::optional<Refusal> refused_now;
  if (!is_judged) refused_now = withdrawn(*asker, group->topic().target());
  if (refused_now) {
    co_await refuse(exchange, std::move(*refused_now));
    co_return;
  }
  judged_at = rights_version();
  Told told = group->resumed(joined_field(exchange.request().headers, "Last-Event-ID"));
  const CountedFollower counted(numbers_, group->question().view);
  GroupListener listener(group);
  const ClosedWatch watch(exchange, listener.news);
  group->request();
  SharedBytes next = std::make_shared<const std::string>(render_retry(retry_of(waiting_)) + *group->beat(told, ration()));
  const bool is_open = co_await open_stream(exchange, std::move(next));
  notes.ended = "client";
  if (!is_open) co_return;
  log(ServedRequest::Kind::stream_started, exchange, notes);
  numbers_.add_event("beat");
  if (is_old_look(group->topic().known().looked_at, now())) group->topic().look_soon();
  SteadyTime beat_at{};
  SteadyTime moved_at = SteadyTime::max();
  bool is_last = false;
  bool has_begun = false;  // something was told: what comes now is a change
  bool has_told = true;
  Timer alarm;
  while (!is_last) {
    const SteadyTime present = now();
    if (has_told) beat_at = present + with_jitter(usual_beat, 1 - beat_jitter, 2 * beat_jitter, runtime_->uniform());
    if (is_closing() && moved_at == SteadyTime::max()) moved_at = *closing_at_ + with_jitter(closing_spread_, 0, 1, runtime_->uniform());
    if (!group->is_of(fleet_->position())) moved_at = present;  // another history has begun: its positions mean nothing there
    has_told = false;
    std::optional<GroupEvent> event = parting(*group, told, *asker, judged_at);
    if (event) {
      // Nothing else is told any more.
    } else if (present >= moved_at) {
      const std::string position = group->position_of(told.known).to_text();
      event.emplace(std::make_shared<const std::string>(render_server_event("moved", "{}", position)), "moved", true);
    } else if (group->has_event(told) || present >= beat_at) {
      // Made when it can leave: what waits in a queue would grow old there, and something newer may come meanwhile.
      const bool may_write = co_await exchange.wait_writable();
      if (!may_write) {
        if (now() - present >= slow_reader) notes.ended = "slow";
        co_return;
      }
      event = parting(*group, told, *asker, judged_at);  // writing may have taken a while
      // A verdict that ends the stream comes from a fresh look.
      if (!event) event = group->next_event(told, self, !is_old_look(group->looked_at(), now()));
      if (!event && now() >= beat_at) event.emplace(group->beat(told, ration()), "beat");
    }
    if (event) {
      const std::optional<SteadyTime> looked_at = is_change(*event) && has_begun ? group->made()->known.looked_at : std::nullopt;
      const bool is_sent = co_await exchange.write_chunk(*event->bytes);
      if (!is_sent) {
        if (now() - present >= slow_reader) notes.ended = "slow";
        co_return;
      }
      numbers_.add_event(event->type);
      numbers_.add_bytes(event->bytes->size());
      if (looked_at) numbers_.add_delay(now() - *looked_at);
      has_begun = has_begun || is_change(*event);
      is_last = event->ends;
      if (is_last) notes.ended = event->type;
      has_told = true;
      continue;
    }
    const SteadyTime until = std::min({beat_at, moved_at, asker->until.value_or(SteadyTime::max())});
    alarm.set(*runtime_->timers, until, wake, &listener.news);
    const bool is_awake = co_await listener.news.wait();
    if (!is_awake) notes.ended = "stopped";
    if (!is_awake || exchange.is_closed()) co_return;
  }
  co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
