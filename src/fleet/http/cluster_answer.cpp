#include "fleet/http/cluster_answer.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/http/poll_wait.hpp"
#include "fleet/http/replies.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration max_first_poll = std::chrono::seconds(30);
constexpr Duration max_new_poll = std::chrono::seconds(5);

// A refusal of the service's own credentials is 409, not 401 or 403: the client's are good.
int status_of(const Failure& failure) {
  if (failure.code() == Errc::not_found) return 404;
  if (failure.code() == Errc::invalid_argument) return 400;
  return is_transient(failure.code()) ? 503 : 409;
}

// The answer while nothing is known of the target.
Refusal unknown_yet(const Topic& topic) {
  const Known& known = topic.known();
  std::string why = known.trouble;
  if (why.empty() && known.failure) why = known.failure->what();
  if (why.empty() && known.spec && known.spec->has_error()) why = known.spec->error().what();
  if (why.empty()) why = "it has not been polled yet";
  return Refusal(503, Failure(Errc::unavailable, fmt::format("{}: {}", printable(topic.target()), why)).with_hint("ask again later"));
}

// What a GET waits for, in this order: a first poll, a recent poll, its rendering, and a version that the client does not have.
class AnswerWait {
 public:
  AnswerWait(std::string known_tags, bool needs_body, SteadyTime now, Duration wait)
      : known_tags_(std::move(known_tags)), needs_body_(needs_body), first_by_(now + max_first_poll), fresh_by_(now + max_new_poll),
        version_by_(now + wait) {}

  /// The latest time until which the answer waits. None: it is sent now.
  std::optional<SteadyTime> next(ViewGroup& group, SteadyTime now, bool is_closing) {
    if (!group.is_current()) {
      group.request();
      // Content that changes faster than it can be rendered is answered as of an earlier time; the age says of when.
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
    if (!is_not_modified(group)) return !needs_body_ || group.body() ? std::nullopt : std::optional(SteadyTime::max());
    return now >= version_by_ || is_closing ? std::nullopt : std::optional(version_by_);
  }

  /// The version that the client has is still the latest.
  bool is_not_modified(const ViewGroup& group) const {
    return group.made() && group.made()->has_content && !group.made()->failure && !known_tags_.empty() &&
           matches_etag(known_tags_, group.etag());
  }

 private:
  std::string known_tags_;
  bool needs_body_;
  SteadyTime first_by_;
  SteadyTime fresh_by_;
  SteadyTime version_by_;
  bool has_asked_ = false;
  bool is_fresh_ = false;
};

}  // namespace

asio::awaitable<void> ClusterAnswer::send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, std::shared_ptr<ViewGroup> group,
                                          FleetQuestion question) {
  const StreamSlotPtr taken = std::move(slot);
  const CountedFollower counted(entry_.numbers(), question.view);
  GroupListener listener(group, GroupListener::Hears::polls);
  const ClosedWatch watch(exchange, listener.news);
  AnswerWait waits(joined_field(exchange.request().headers, "If-None-Match"), !is_head(exchange), entry_.now(), question.wait);
  for (;;) {
    const std::optional<SteadyTime> until = waits.next(*group, entry_.now(), entry_.is_closing());
    if (!until) break;
    const bool is_awake = co_await listener.news.wait_until(*entry_.runtime()->timers, *until);
    if (!is_awake || exchange.is_closed()) co_return;
  }
  // The wait may have taken minutes.
  std::optional<Refusal> refusal = entry_.admission().withdrawn(*client, group->topic().target());
  if (refusal) {
    co_await refuse(entry_, exchange, std::move(*refusal));
    co_return;
  }
  co_await send_body(exchange, *group, question.self, waits.is_not_modified(*group));
}

asio::awaitable<void> ClusterAnswer::send_body(ServerExchange& exchange, ViewGroup& group, std::string_view self, bool is_not_modified) {
  const std::shared_ptr<const Rendering> made = group.made();
  // A failure is final only if it comes from a recent poll.
  const bool is_final = made && made->failure && group.is_current() && !is_old_poll(group.polled_at(), entry_.now());
  if (!made || made->failure || !made->has_content) {
    Refusal refusal = is_final ? Refusal(status_of(*made->failure), *made->failure) : unknown_yet(group.topic());
    refusal.target = group.topic().target();
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  HttpResponse head;
  head.status = is_not_modified ? 304 : 200;
  head.headers.add("ETag", group.etag());
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept, Accept-Encoding");
  if (const Age age = group.age()) head.headers.add("Rollcall-Age-Ms", fmt::format_int(age->count()).c_str());
  head.headers.add("Rollcall-Position", Position(made->known.epoch, made->known.revision).to_text());
  add_fallback(entry_, head);
  if (is_not_modified) {
    co_await exchange.reply(head);
    co_return;
  }
  head.headers.add("Content-Type", "application/json");
  head.headers.add("X-Content-Type-Options", "nosniff");
  if (is_head(exchange)) {
    co_await reply_head(exchange, std::move(head));
    co_return;
  }
  Body body = *group.body();
  if (made->tasks && !self.empty()) {
    std::string own = *body.plain;
    own.pop_back();  // the closing brace
    own += ",\"task\":" + made->tasks->own_task(self) + "}";
    auto shared = std::make_shared<const std::string>(std::move(own));
    co_await exchange.reply(head, std::move(shared));
    co_return;
  }
  co_await reply_body(exchange, std::move(head), std::move(body));
}

}  // namespace rollcall::fleet
