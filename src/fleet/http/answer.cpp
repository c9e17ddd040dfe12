// GET: one answer, now or after another version is there.
#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration max_first_poll = std::chrono::seconds(30);
constexpr Duration old_poll = std::chrono::seconds(10);
constexpr Duration max_new_poll = std::chrono::seconds(5);

// What the service's own credentials may not do is nobody's fault who asks it.
int status_of(const Failure& failure) {
  if (failure.code() == Errc::not_found) return 404;
  if (failure.code() == Errc::invalid_argument) return 400;
  return is_transient(failure.code()) ? 503 : 409;
}

// Nothing was seen of it so far.
Refusal unknown_yet(const Topic& topic) {
  const Known& known = topic.known();
  std::string why = known.trouble;
  if (why.empty() && known.failure) why = known.failure->what();
  if (why.empty() && known.spec && known.spec->has_error()) why = known.spec->error().what();
  if (why.empty()) why = "it has not been looked at yet";
  return Refusal(503, Failure(Errc::unavailable, fmt::format("{}: {}", printable(topic.target()), why)).with_hint("ask again later"));
}

// What a GET waits for, one after the other: a first look, a fresh one, what is made of it, and another version than the one it has.
class AnswerWait {
 public:
  AnswerWait(std::string known_tags, SteadyTime now, Duration wait)
      : known_tags_(std::move(known_tags)), first_by_(now + max_first_poll), fresh_by_(now + max_new_poll), version_by_(now + wait) {}

  /// Until when it waits at most. None: it is to be answered now.
  std::optional<SteadyTime> next(ViewGroup& group, SteadyTime now, bool is_closing) {
    if (!group.is_current()) {
      group.request();
      // What changes faster than it can be told is told as it was: the age says of when.
      if (!group.made()) return now >= first_by_ ? std::nullopt : std::optional(first_by_);
      if (now < fresh_by_) return fresh_by_;
    }
    const Rendering& made = *group.made();
    if (!made.has_content && !made.failure) return now >= first_by_ || is_closing ? std::nullopt : std::optional(first_by_);
    if (!is_fresh_ && is_old_poll(group.polled_at(), now) && now < fresh_by_) {
      if (!std::exchange(has_asked_, true)) group.topic().refresh_soon();
      return fresh_by_;
    }
    is_fresh_ = true;
    if (made.failure) return std::nullopt;
    if (!is_known_already(group)) return group.body() ? std::nullopt : std::optional(SteadyTime::max());
    return now >= version_by_ || is_closing ? std::nullopt : std::optional(version_by_);
  }

  /// The version that the client has is still the latest.
  bool is_known_already(const ViewGroup& group) const {
    return group.made() && group.made()->has_content && !group.made()->failure && !known_tags_.empty() &&
           matches_etag(known_tags_, group.etag());
  }

 private:
  std::string known_tags_;
  SteadyTime first_by_;
  SteadyTime fresh_by_;
  SteadyTime version_by_;
  bool has_asked_ = false;
  bool is_fresh_ = false;
};

}  // namespace

bool is_old_poll(const std::optional<SteadyTime>& polled_at, SteadyTime now) noexcept { return !polled_at || now - *polled_at > old_poll; }

int FleetRequests::spread_seconds(int min, int spread) { return min + static_cast<int>(runtime_->uniform() * spread); }

void FleetRequests::add_fallback(HttpResponse& response) { response.headers.add("Rollcall-Fallback", fallback_schedule().to_header()); }

asio::awaitable<void> FleetRequests::answer(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot,
                                            std::shared_ptr<ViewGroup> group, FleetQuestion question) {
  const StreamSlotPtr taken = std::move(slot);
  const CountedFollower counted(numbers_, question.view);
  GroupListener listener(group, GroupListener::Hears::polls);
  const ClosedWatch watch(exchange, listener.news);
  AnswerWait waits(joined_field(exchange.request().headers, "If-None-Match"), now(), question.wait);
  for (;;) {
    const std::optional<SteadyTime> until = waits.next(*group, now(), is_closing());
    if (!until) break;
    const bool is_awake = co_await listener.news.wait_until(*runtime_->timers, *until);
    if (!is_awake || exchange.is_closed()) co_return;
    if (group->is_of(fleet_->position())) continue;
    Refusal refusal(503,
                    Failure(Errc::unavailable, "another history has begun, in which nothing is known of it yet").with_hint("ask again"));
    refusal.target = group->topic().target();
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  // It may have waited for minutes.
  if (std::optional<Refusal> refusal = withdrawn(*client, group->topic().target())) {
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  co_await tell_answer(exchange, *group, question.self, waits.is_known_already(*group));
}

asio::awaitable<void> FleetRequests::tell_answer(ServerExchange& exchange, ViewGroup& group, std::string_view self, bool is_known_already) {
  const std::shared_ptr<const Rendering> made = group.made();
  // A verdict rests on a look that has just been made, or it is none.
  const bool is_verdict = made && made->failure && group.is_current() && !is_old_poll(group.polled_at(), now());
  if (!made || made->failure || !made->has_content) {
    Refusal refusal = is_verdict ? Refusal(status_of(*made->failure), *made->failure) : unknown_yet(group.topic());
    refusal.target = group.topic().target();
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  HttpResponse head;
  head.status = is_known_already ? 304 : 200;
  head.headers.add("ETag", group.etag());
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept, Accept-Encoding");
  if (const Age age = group.age()) head.headers.add("Rollcall-Age-Ms", fmt::format_int(age->count()).c_str());
  head.headers.add("Rollcall-Position", group.position_of(made->known.revision).to_text());
  add_fallback(head);
  if (is_known_already) {
    co_await exchange.reply(head);
    co_return;
  }
  head.headers.add("Content-Type", "application/json");
  head.headers.add("X-Content-Type-Options", "nosniff");
  Body body = *group.body();
  if (made->tasks && !self.empty()) {
    std::string own = *body.plain;
    own.pop_back();  // the brace
    own += ",\"task\":" + made->tasks->own_task(self) + "}";
    auto shared = std::make_shared<const std::string>(std::move(own));
    co_await exchange.reply(head, std::move(shared));
    co_return;
  }
  co_await reply_body(exchange, std::move(head), std::move(body));
}

SharedBytes FleetRequests::chosen_bytes(const ServerRequest& request, HttpResponse& head, Body body) {
  const bool is_packed = body.packed && takes_gzip(joined_field(request.headers, "Accept-Encoding"));
  if (is_packed) head.headers.add("Content-Encoding", "gzip");
  return is_packed ? body.packed : body.plain;
}

// What the client does not take is not held for it.
asio::awaitable<void> FleetRequests::reply_body(ServerExchange& exchange, HttpResponse head, Body body) {
  const SharedBytes bytes = chosen_bytes(exchange.request(), head, std::move(body));
  co_await exchange.reply(head, bytes);
}

asio::awaitable<void> FleetRequests::refuse(ServerExchange& exchange, Refusal refusal) {
  HttpResponse response;
  response.status = refusal.status;
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  if (refusal.status == 405) response.headers.add("Allow", "GET, HEAD");
  // Those who are turned away together shall not come back together.
  if (refusal.status == 429) response.headers.add("Retry-After", fmt::format_int(spread_seconds(30, 31)).c_str());
  if (refusal.status == 503) {
    response.headers.add("Retry-After", fmt::format_int(spread_seconds(5, 11)).c_str());
    add_fallback(response);
  }
  response.body = render_failure_body(refusal.target, refusal.failure);
  co_await exchange.reply(response);
}

asio::awaitable<void> FleetRequests::say(ServerExchange& exchange, int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.body = std::move(text);
  co_await exchange.reply(response);
}

}  // namespace rollcall::fleet
