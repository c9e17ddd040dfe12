#include "fleet/client/status_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "async/with_background.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/served_cluster.hpp"
#include "readiness/dated_observer.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_event_bytes = 1 << 20;    // larger bodies are fetched
constexpr std::size_t max_waiting_bytes = 8 << 20;  // of events that wait during the fetch of a body
constexpr std::size_t max_changed_bytes = 64 << 20;  // before the whole status is fetched again
constexpr Duration max_silence = std::chrono::seconds(30);    // without a byte
constexpr Duration max_eventless = std::chrono::seconds(45);  // without an event
constexpr Duration shortest_retry = std::chrono::seconds(1);  // shorter times from a server are raised to it
constexpr Duration max_retry = std::chrono::minutes(10);
constexpr Duration stream_time = std::chrono::hours(2);  // then another stream continues
constexpr Duration shortest_with_old =
    std::chrono::seconds(30);  // at one server, so that clients do not run round the servers while the cloud is unreachable
constexpr Duration max_leaving = std::chrono::seconds(10);    // over which the clients that leave a server are spread

}  // namespace

StatusStream::StatusStream(Call& call, std::shared_ptr<RemoteServers> servers, std::size_t server, fleet::FleetQuestion question,
                           FollowedStatus& followed, StatusObserver& observer)
    : call_(call), servers_(std::move(servers)), server_(server), question_(std::move(question)), followed_(followed), observer_(observer),
      reader_(max_event_bytes), heard_at_(impl_of(call).time->now()), began_(heard_at_) {}

asio::awaitable<Result<StreamEnd>> StatusStream::run() { return with_background(read(), follow_events()); }

// A failure ends the stream; earlier events are taken first.
asio::awaitable<Result<void>> StatusStream::read() {
  CallOptions options = call_.options();
  options.timeout(stream_time).retry(RetryPolicy().max_retries(0));
  auto script = [this](Call& inner) { return open(inner); };
  read_end_ = co_await run_call<void>(impl_of(call_).shared_from_this(), std::move(options),
                                      CallSubject("stream of " + question_.target.to_text()), std::move(script));
  is_over_ = true;
  news_.wake();
  co_return Result<void>();
}

asio::awaitable<Result<void>> StatusStream::open(Call& inner) {
  Result<ApiRequest> made = servers_->request(inner, server_, question_, refused_);
  if (!made) co_return made.error();
  made->http.headers.add("Accept", "text/event-stream");
  if (followed_.last_event && followed_.status) made->http.headers.add("Last-Event-ID", followed_.last_event->to_text());
  made->exchange.response_timeout = max_silence;
  made->counts_against_limit = false;
  const Result<HttpResponse> response = co_await api_stream(inner, *made, *this, std::numeric_limits<std::size_t>::max());
  if (!response) co_return response.error();
  co_return Result<void>();
}

Result<void> StatusStream::take(std::string_view piece) {
  Result<void> fed = reader_.feed(piece);
  if (!fed) return fed;
  const SteadyTime now = impl_of(call_).time->now();
  while (std::optional<fleet::ServerEvent> event = reader_.next()) {
    event_bytes_ += event->data.size() + sizeof(Came);
    if (event_bytes_ > max_waiting_bytes) return Failure(Errc::limit_exceeded, "the event stream: more events than can be taken");
    events_.emplace_back(std::move(*event), now);
  }
  if (reader_.retry()) followed_.retry = std::clamp<Duration>(*reader_.retry(), shortest_retry, max_retry);
  if (events_.empty()) return {};
  heard_at_ = now;
  news_.wake();
  return {};
}

asio::awaitable<Result<StreamEnd>> StatusStream::follow_events() {
  for (;;) {
    if (!events_.empty()) {
      Came came = std::move(events_.front());
      events_.pop_front();
      event_bytes_ -= came.event.data.size() + sizeof(Came);
      const std::optional<StreamEnd> ended = co_await take_event(std::move(came));
      if (ended) co_return *ended;
      continue;
    }
    const SteadyTime now = impl_of(call_).time->now();
    if (now >= followed_.old_from(servers_->options().max_age)) is_to_be_reported_ = true;
    report_status();
    if (is_over_) break;
    const SteadyTime dead_from = saturating_sum(heard_at_, max_eventless);
    const SteadyTime left_from = leave_from();
    const SteadyTime until = std::min({dead_from, followed_.old_from(servers_->options().max_age), left_from});
    if (now >= dead_from)
      co_return end(StreamEnd::silent, Failure(Errc::response_timeout, "the server keeps the stream alive, but sends no events"));
    if (now >= left_from) co_return StreamEnd::old;
    const bool is_awake = co_await news_.wait_until(*impl_of(call_).timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following");
  }
  const Failure why = read_end_ ? Failure(Errc::unreachable, "the stream ended without an event") : read_end_.error();
  const bool is_malformed = why.code() == Errc::limit_exceeded || why.code() == Errc::malformed_response;
  if (has_content_ && !is_malformed && refused_.sent == SentState::silence) co_return StreamEnd::ended;
  // A service that has lost its history, with its store, refuses the position until its store has caught up.
  if (followed_.is_reported_old) followed_.last_event.reset();
  ServerAnswer answer = RemoteServers::judge(why, refused_);
  if (answer.sent == SentState::unchanged)
    answer.failure = Failure(Errc::malformed_response, "the server says that nothing has changed to one who asks for events");
  if (answer.sent == SentState::refusal && answer.is_unauthenticated) co_return end(StreamEnd::refused, answer.failure);
  if (answer.sent == SentState::refusal || answer.sent == SentState::failure) co_return end(StreamEnd::final, answer.failure);
  if (answer.sent == SentState::patience) co_return wait_for_service(answer);
  co_return end(StreamEnd::silent, answer.failure);
}

SteadyTime StatusStream::leave_from() {
  if (!followed_.is_reported_old || !followed_.polled_at || servers_->count() < 2) return SteadyTime::max();
  const Duration max_age = servers_->options().max_age;
  const SteadyTime stayed = saturating_sum(began_, std::max(max_age, shortest_with_old));
  if (!leaving_) leaving_ = with_jitter(max_leaving, 0, 1, impl_of(call_).uniform());
  return saturating_sum(std::max(stayed, saturating_sum(*followed_.polled_at, max_age)), *leaving_);
}

asio::awaitable<std::optional<StreamEnd>> StatusStream::take_event(Came came) {
  const std::string& type = came.event.type;
  const std::optional<fleet::Position> id = fleet::Position::parse(came.event.id);
  if (!id) co_return malformed(fmt::format("an event has the id {}", quoted(came.event.id, 64)));
  const std::optional<fleet::Position>& last = followed_.last_event;
  // 0 means that nothing is known yet.
  if (last && id->epoch < last->epoch) {
    if (!followed_.is_reported_old) co_return fenced(*id);
    followed_.status.reset();  // nothing newer was heard for so long that it counts no more
    followed_.last_event.reset();
  }
  if (last && id->revision != 0 && *id < *last)
    co_return malformed(fmt::format("it went back from {} to {}", last->to_text(), id->to_text()));
  // A server that only sends heartbeats has not reported anything yet: another server may.
  has_content_ = has_content_ || type != "beat";
  if (has_content_) servers_->note_answer(call_, server_);
  std::optional<StreamEnd> ended;
  const std::string& json = came.event.data;
  if (type == "status") {
    ended = take_status(json, came.at);
  } else if (type == "members") {
    ended = take_members(*id, json, came.at);
  } else if (type == "sync") {
    ended = co_await synchronize(json);
  } else if (type == "trouble") {
    ended = take_trouble(json);
  } else if (type == "beat") {
    ended = take_heartbeat(*id, json, came.at);
  } else if (type == "final") {
    ended = take_final(json);
  } else if (type == "moved") {
    ended = StreamEnd::moved;
  } else if (type == "expired") {  // the token that opened the stream has expired; the next stream uses the token in the file then
    ended = StreamEnd::ended;
  }
  is_first_ = false;
  if (!ended || ended == StreamEnd::moved || type == "expired") followed_.last_event = id;
  co_return ended;
}

std::optional<StreamEnd> StatusStream::take_status(std::string_view json, SteadyTime at) {
  Result<fleet::StatusDocument> document = fleet::parse_status_body(json, parse_limits(impl_of(call_)));
  if (!document) return malformed(document.error().what());
  if (!document->age) return malformed("it does not say how old a status is");
  const Duration age = *document->age;
  keep(std::move(*document));
  seen(age, at);
  return std::nullopt;
}

std::optional<StreamEnd> StatusStream::take_members(const fleet::Position& id, std::string_view json, SteadyTime at) {
  Result<fleet::MembersDocument> document = fleet::parse_members_event(json, parse_limits(impl_of(call_)));
  if (!document) return malformed(document.error().what());
  if (!followed_.status || followed_.position.epoch != id.epoch) return malformed("changes of a status that it never sent");
  if (id.revision > followed_.position.revision) {  // else the fetched body contains them
    fleet::apply_delta(*followed_.status, std::move(document->delta));
    followed_.status->generation = document->generation;
    followed_.position = id;
    followed_.changed_bytes += json.size();
    if (followed_.status->members.size() > impl_of(call_).limits.max_endpoints || followed_.changed_bytes > max_changed_bytes)
      return malformed("it sends too many changes");
  }
  seen(document->age, at);
  return std::nullopt;
}

void StatusStream::keep(fleet::StatusDocument document) {
  followed_.status = std::move(document.status);
  followed_.status->generation = document.generation;
  followed_.position = std::move(document.position);
  followed_.changed_bytes = 0;
}

asio::awaitable<std::optional<StreamEnd>> StatusStream::synchronize(std::string_view json) {
  const Result<fleet::SyncDocument> sync = fleet::parse_sync_event(json, parse_limits(impl_of(call_)));
  if (!sync) co_return malformed(sync.error().what());
  std::optional<fleet::Position> known;
  if (followed_.status) known = followed_.position;
  if (known && *known > sync->etag) co_return std::nullopt;
  ServerAnswer answer = co_await servers_->ask(call_, server_, question_, known);
  if (answer.sent == SentState::unchanged) {
    seen(answer.age.value(), impl_of(call_).time->now());
    co_return std::nullopt;
  }
  if (answer.sent == SentState::patience) co_return wait_for_service(answer);
  if (answer.sent != SentState::document)
    co_return end(answer.sent == SentState::silence ? StreamEnd::silent : StreamEnd::final, answer.failure);
  Result<fleet::StatusDocument> document = fleet::parse_status_body(answer.body, served_limits(impl_of(call_)));
  if (!document) co_return malformed(document.error().what());
  const fleet::Position& position = document->position;
  if (position < sync->etag) co_return malformed(fmt::format("it announces {} and sends {}", sync->etag.to_text(), position.to_text()));
  keep(std::move(*document));
  seen(answer.age.value(), impl_of(call_).time->now());
  report_status();  // reported now, since the next fetch may take as long
  co_return std::nullopt;
}

std::optional<StreamEnd> StatusStream::take_trouble(std::string_view json) {
  Result<fleet::TroubleDocument> document = fleet::parse_trouble_event(json, parse_limits(impl_of(call_)));
  if (!document) return malformed(document.error().what());
  followed_.trouble = std::move(document->message);
  is_to_be_reported_ = true;
  return std::nullopt;
}

// A stream begins with a heartbeat before it reports differences: its age is not that of the status from another stream.
std::optional<StreamEnd> StatusStream::take_heartbeat(const fleet::Position& id, std::string_view json, SteadyTime at) {
  const Result<fleet::HeartbeatDocument> document = fleet::parse_heartbeat_event(json, parse_limits(impl_of(call_)));
  if (!document) return malformed(document.error().what());
  servers_->loss().note_sent_schedule(document->fallback_schedule);
  const bool is_of_status = !is_first_ && followed_.status && id.epoch == followed_.position.epoch;
  if (document->age && is_of_status) seen(*document->age, at);
  return std::nullopt;
}

std::optional<StreamEnd> StatusStream::take_final(std::string_view json) {
  Result<fleet::FailureDocument> document = fleet::parse_failure_body(json, parse_limits(impl_of(call_)));
  if (!document) return malformed(document.error().what());
  return end(StreamEnd::final, std::move(document->failure));
}

StreamEnd StatusStream::end(StreamEnd how, Failure failure) {
  failure_ = std::move(failure);
  return how;
}

// Another server may be less busy.
StreamEnd StatusStream::wait_for_service(const ServerAnswer& busy) {
  if (servers_->count() > 1) return end(StreamEnd::silent, busy.failure);
  servers_->note_answer(call_, server_);
  observer_.report_trouble(busy.failure);
  const Duration pause = std::min(busy.retry_after.value_or(Duration(0)), max_retry);
  followed_.not_before = saturating_sum(impl_of(call_).time->now(), pause);
  return StreamEnd::ended;
}

// What an earlier leader says may be over: one that stood still, or is cut off from the others, does not know that another one leads.
StreamEnd StatusStream::fenced(const fleet::Position& id) {
  return end(StreamEnd::silent, Failure(Errc::unavailable, fmt::format("the server is at {}, before {} of a later leader", id.to_text(),
                                                                       followed_.last_event->to_text())));
}

// The state after it cannot be trusted: the next stream starts without it.
StreamEnd StatusStream::malformed(std::string_view what) {
  followed_.status.reset();
  followed_.last_event.reset();
  return end(StreamEnd::silent, Failure(Errc::malformed_response, fmt::format("the server makes no sense: {}", what)));
}

void StatusStream::seen(Duration age, SteadyTime at) {
  followed_.polled_at = at - age;
  is_to_be_reported_ = true;
}

// Once for all events that have come: a copy of a status costs more than an event.
void StatusStream::report_status() {
  if (!std::exchange(is_to_be_reported_, false)) return;
  const std::optional<SteadyTime>& polled_at = followed_.polled_at;
  const Duration age = polled_at ? saturating_difference(impl_of(call_).time->now(), *polled_at) : Duration(0);
  const bool is_fresh = polled_at && age <= servers_->options().max_age;
  followed_.is_reported_old = !is_fresh;
  if (polled_at) report_seen(observer_, Seen(*polled_at, servers_->options().max_age));
  // A report of a status means that all is well. If the service cannot poll, the trouble is reported after it.
  if (is_fresh && followed_.status) observer_.report(*followed_.status);
  if (!followed_.trouble.empty()) {
    observer_.report_trouble(Failure(Errc::unavailable, followed_.trouble));
  } else if (polled_at && !is_fresh) {
    observer_.report_trouble(too_old(age));
  }
}

}  // namespace rollcall
