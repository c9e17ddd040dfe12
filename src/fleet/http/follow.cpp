// Streams: what is new is told, the latest only, when the client can take it.
#include <algorithm>

#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration usual_heartbeat = std::chrono::seconds(10);
constexpr double heartbeat_jitter = 0.2;
constexpr Duration max_catching_up = std::chrono::seconds(2);
constexpr Duration pause_of_catching_up = std::chrono::milliseconds(50);
constexpr std::size_t comebacks_a_second = 500;  // when all followers have lost their stream at once
constexpr std::chrono::milliseconds shortest_retry{1000};
const Duration slow_reader = ServerLimits().write_time;  // who takes nothing for so long is dropped

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

const FallbackSchedule& FleetRequests::fallback_schedule() {
  const SteadyTime present = now();
  if (!fallback_schedule_at_ || present - *fallback_schedule_at_ > std::chrono::seconds(1)) {
    fallback_schedule_ = fleet_->fallback_schedule();
    fallback_schedule_at_ = present;
  }
  return fallback_schedule_;
}

// Who comes from another replica, which was ahead, is told nothing older: it waits a while until this one knows as much.
asio::awaitable<bool> FleetRequests::has_caught_up(ServerExchange& exchange) {
  const std::optional<Position> sent = Position::parse(joined_field(exchange.request().headers, "Last-Event-ID"));
  const SteadyTime end = saturating_sum(now(), max_catching_up);
  for (;;) {
    const Position present = fleet_->position();
    if (!sent || sent->instance != present.instance || sent->revision <= present.revision) co_return true;
    if (now() >= end || exchange.is_closed()) co_return false;
    const bool is_awake = co_await sleep_until(*runtime_->timers, std::min(end, now() + pause_of_catching_up));
    if (!is_awake) co_return false;
  }
}

// What stays in its frame is what a follower costs.
asio::awaitable<void> FleetRequests::follow(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                                            std::shared_ptr<ViewGroup> group, std::string self) {
  const StreamSlotPtr taken = std::move(slot);
  std::uint64_t judged_at = rights_version();
  const bool may_begin = co_await has_caught_up(exchange);
  if (!may_begin) {
    Failure why(Errc::unavailable, "this replica of the service does not know yet what the client was told before");
    Refusal refusal(503, std::move(why).with_hint("ask again, or another replica"));
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  // It may have waited for a while.
  const bool is_judged = judged_at == rights_version() && !is_over(*client);
  std::optional<Refusal> refused_now;
  if (!is_judged) refused_now = withdrawn(*client, group->topic().target());
  if (refused_now) {
    co_await refuse(exchange, std::move(*refused_now));
    co_return;
  }
  judged_at = rights_version();
  SentState sent = group->resumed(joined_field(exchange.request().headers, "Last-Event-ID"));
  const CountedFollower counted(numbers_, group->question().view);
  GroupListener listener(group);
  const ClosedWatch watch(exchange, listener.news);
  group->request();
  SharedBytes next = std::make_shared<const std::string>(render_retry(retry_of(waiting_)) + *group->heartbeat(sent, fallback_schedule()));
  const bool is_open = co_await open_stream(exchange, std::move(next));
  notes.ended = "client";
  if (!is_open) co_return;
  log(ServedRequest::Kind::stream_started, exchange, notes);
  numbers_.add_event("beat");
  if (is_old_poll(group->topic().known().polled_at, now())) group->topic().refresh_soon();
  SteadyTime heartbeat_at{};
  SteadyTime moved_at = SteadyTime::max();
  bool is_last = false;
  bool has_begun = false;  // something was told: what comes now is a change
  bool has_sent = true;
  while (!is_last) {
    const SteadyTime present = now();
    if (has_sent) heartbeat_at = present + with_jitter(usual_heartbeat, 1 - heartbeat_jitter, 2 * heartbeat_jitter, runtime_->uniform());
    if (is_closing() && moved_at == SteadyTime::max()) moved_at = *closing_at_ + with_jitter(closing_spread_, 0, 1, runtime_->uniform());
    if (!group->is_of(fleet_->position())) moved_at = present;  // another history has begun: its positions mean nothing there
    has_sent = false;
    std::optional<GroupEvent> event = parting(*group, sent, *client, judged_at);
    if (event) {
      // Nothing else is told any more.
    } else if (present >= moved_at) {
      const std::string position = group->position_of(sent.known).to_text();
      event.emplace(std::make_shared<const std::string>(render_server_event("moved", "{}", position)), "moved", true);
    } else if (group->has_event(sent) || present >= heartbeat_at) {
      // Made when it can leave: what waits in a queue would grow old there, and something newer may come meanwhile.
      const bool may_write = co_await exchange.wait_writable();
      if (!may_write) {
        if (now() - present >= slow_reader) notes.ended = "slow";
        co_return;
      }
      event = parting(*group, sent, *client, judged_at);  // writing may have taken a while
      // A verdict that ends the stream comes from a fresh look.
      if (!event) event = group->next_event(sent, self, !is_old_poll(group->polled_at(), now()));
      if (!event && now() >= heartbeat_at) event.emplace(group->heartbeat(sent, fallback_schedule()), "beat");
    }
    if (event) {
      const std::optional<SteadyTime> polled_at = is_change(*event) && has_begun ? group->made()->known.polled_at : std::nullopt;
      const bool is_sent = co_await exchange.write_chunk(*event->bytes);
      if (!is_sent) {
        if (now() - present >= slow_reader) notes.ended = "slow";
        co_return;
      }
      numbers_.add_event(event->type);
      numbers_.add_bytes(event->bytes->size());
      if (polled_at) numbers_.add_delay(now() - *polled_at);
      has_begun = has_begun || is_change(*event);
      is_last = event->ends;
      if (is_last) notes.ended = event->type;
      has_sent = true;
      continue;
    }
    const SteadyTime until = std::min({heartbeat_at, moved_at, client->until.value_or(SteadyTime::max())});
    const bool is_awake = co_await listener.news.wait_until(*runtime_->timers, until);
    if (!is_awake) notes.ended = "stopped";
    if (!is_awake || exchange.is_closed()) co_return;
  }
  co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
