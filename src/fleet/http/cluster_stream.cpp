#include "fleet/http/cluster_stream.hpp"

#include <algorithm>

#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/http/poll_wait.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration usual_heartbeat = std::chrono::seconds(10);
constexpr double heartbeat_jitter = 0.2;
constexpr Duration max_catching_up = std::chrono::seconds(2);
constexpr Duration pause_of_catching_up = std::chrono::milliseconds(50);
constexpr std::size_t reconnects_a_second = 500;  // after all followers have lost their stream at once
constexpr std::chrono::milliseconds shortest_retry{1000};

bool is_change(const GroupEvent& event) { return !event.ends && event.type != "beat" && event.type != "trouble"; }

// The client reconnects after a random part of this time (full jitter).
std::chrono::milliseconds retry_of(std::size_t followers) {
  return std::max(shortest_retry, std::chrono::milliseconds(followers * 1000 / reconnects_a_second));
}

}  // namespace

asio::awaitable<bool> open_event_stream(ServerExchange& exchange, SharedText first) {
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

// A client that comes from another replica may know a later position than this replica: the stream waits a while until this replica has
// reached it.
asio::awaitable<bool> ClusterStream::has_caught_up(ServerExchange& exchange) {
  const std::optional<Position> sent = Position::parse(joined_field(exchange.request().headers, "Last-Event-ID"));
  const SteadyTime end = saturating_sum(now(), max_catching_up);
  for (;;) {
    const Position present = entry_.fleet().position();
    if (!sent || *sent <= present) co_return true;
    if (now() >= end || exchange.is_closed()) co_return false;
    const bool is_awake = co_await sleep_until(*entry_.runtime()->timers, std::min(end, now() + pause_of_catching_up));
    if (!is_awake) co_return false;
  }
}

// The last event of a stream that may not go on; none while it may. `rights`: those of the last check.
std::optional<GroupEvent> ClusterStream::withdrawal(const ViewGroup& group, const SentState& sent, const Client& client,
                                                    RightsWatch& rights) const {
  const Admission& admission = entry_.admission();
  if (!rights.is_outdated(admission, client)) return std::nullopt;
  rights.renew(admission);
  const std::string& target = group.topic().target();
  const std::optional<Refusal> refusal = admission.withdrawn(client, target);
  if (!refusal) return std::nullopt;
  const std::string position = sent.position_text();
  const bool is_final = refusal->status == 403;
  const std::string event = is_final ? render_server_event("final", render_failure_body(target, refusal->failure), position)
                                     : render_server_event("expired", "{}", position);
  return GroupEvent(std::make_shared<const std::string>(event), is_final ? "final" : "expired", true);
}

// The memory of a follower is mostly this coroutine's frame: keep it small.
asio::awaitable<void> ClusterStream::send(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, StreamSlotPtr slot,
                                          std::shared_ptr<ViewGroup> group, std::string self) {
  const StreamSlotPtr taken = std::move(slot);
  RightsWatch rights(entry_.admission());
  const bool may_begin = co_await has_caught_up(exchange);
  if (!may_begin) {
    Failure why(Errc::unavailable, "this replica of the service has not reached the client's position yet");
    Refusal refusal(503, std::move(why).with_hint("ask again, or another replica"));
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  // The rights may have changed during the wait.
  std::optional<Refusal> refused_now;
  if (rights.is_outdated(entry_.admission(), *client)) refused_now = entry_.admission().withdrawn(*client, group->topic().target());
  if (refused_now) {
    co_await refuse(entry_, exchange, std::move(*refused_now));
    co_return;
  }
  rights.renew(entry_.admission());
  SentState sent = group->resumed(joined_field(exchange.request().headers, "Last-Event-ID"));
  const CountedFollower counted(entry_.numbers(), group->question().view);
  GroupListener listener(group);
  const ClosedWatch watch(exchange, listener.news);
  group->request();
  SharedText next = std::make_shared<const std::string>(render_retry(retry_of(entry_.admission().slots())) +
                                                        *group->heartbeat(sent, entry_.fallback_schedule()));
  const bool is_open = co_await open_event_stream(exchange, std::move(next));
  notes.ended = "client";
  if (!is_open) co_return;
  log_request(entry_, ServedRequest::Kind::stream_started, exchange, notes);
  entry_.numbers().add_event("beat");
  if (is_old_poll(group->topic().known().polled_at, now())) group->topic().refresh_soon();
  SteadyTime heartbeat_at{};
  SteadyTime moved_at = SteadyTime::max();
  bool is_last = false;
  bool has_begun = false;  // the first state was sent: later events are changes
  bool has_sent = true;
  while (!is_last) {
    const SteadyTime present = now();
    if (has_sent)
      heartbeat_at = present + with_jitter(usual_heartbeat, 1 - heartbeat_jitter, 2 * heartbeat_jitter, entry_.runtime()->uniform());
    if (entry_.is_closing() && moved_at == SteadyTime::max()) moved_at = entry_.end_of_stream();
    has_sent = false;
    std::optional<GroupEvent> event = withdrawal(*group, sent, *client, rights);
    if (event) {
      // The last event.
    } else if (present >= moved_at) {
      const std::string position = sent.position_text();
      event.emplace(std::make_shared<const std::string>(render_server_event("moved", "{}", position)), "moved", true);
    } else if (group->has_event(sent) || present >= heartbeat_at) {
      // Rendered when it can be written: an event in a queue would become old, and a newer one may exist by then.
      const bool may_write = co_await exchange.wait_writable();
      if (!may_write) {
        if (now() - present >= entry_.server_limits().write_time) notes.ended = "slow";
        co_return;
      }
      event = withdrawal(*group, sent, *client, rights);  // the client may have taken a while to read
      // A failure ends the stream only if it comes from a recent poll.
      if (!event) event = group->next_event(sent, self, !is_old_poll(group->polled_at(), now()));
      if (!event && now() >= heartbeat_at) event.emplace(group->heartbeat(sent, entry_.fallback_schedule()), "beat");
    }
    if (event) {
      const std::optional<SteadyTime> polled_at = is_change(*event) && has_begun ? group->made()->known.polled_at : std::nullopt;
      const bool is_sent = co_await exchange.write_chunk(*event->bytes);
      if (!is_sent) {
        if (now() - present >= entry_.server_limits().write_time) notes.ended = "slow";
        co_return;
      }
      entry_.numbers().add_event(event->type);
      entry_.numbers().add_bytes(event->bytes->size());
      if (polled_at) entry_.numbers().add_delay(now() - *polled_at);
      has_begun = has_begun || is_change(*event);
      is_last = event->ends;
      if (is_last) notes.ended = event->type;
      has_sent = true;
      continue;
    }
    const SteadyTime until = std::min({heartbeat_at, moved_at, client->until.value_or(SteadyTime::max())});
    const bool is_awake = co_await listener.news.wait_until(*entry_.runtime()->timers, until);
    if (!is_awake) notes.ended = "stopped";
    if (!is_awake || exchange.is_closed()) co_return;
  }
  co_await exchange.end_chunks();
}

}  // namespace rollcall::fleet
