#include "fleet/replicas/leader_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "async/with_background.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/wire/body_bounds.hpp"
#include "readiness/follow.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_leader_event = 32 << 20;
constexpr Duration leader_silence = std::chrono::seconds(6);  // of a leader, which says something every two seconds
constexpr Duration time_for_wanted = std::chrono::seconds(5);
constexpr Duration pause_after_refusal = std::chrono::seconds(1);
constexpr Duration shortest_between_lists = std::chrono::milliseconds(100);
constexpr Duration usual_between_lists = std::chrono::seconds(5);

ParseLimits limits_of(const Runtime::Impl& runtime) {
  ParseLimits limits = parse_limits(runtime);
  limits.max_document = std::max(limits.max_document, max_leader_event);
  return limits;
}

// Followers come and go all the time; only the leader's fallback schedule depends on their number.
bool is_same_but_for_followers(const WantedDocument& a, const WantedDocument& b) {
  const auto is_same = [](const WantedTarget& x, const WantedTarget& y) {
    return x.target == y.target && x.wants_spec == y.wants_spec && x.asked == y.asked && (x.followers == 0) == (y.followers == 0);
  };
  return std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(), is_same);
}

}  // namespace

LeaderStream::LeaderStream(Call& call, PeerLink& link, std::string url, std::string self, int schema, LeaderListener& listener,
                           AsyncEvent& wanted_news)
    : call_(call), link_(link), url_(std::move(url)), self_(std::move(self)), schema_(schema), listener_(listener),
      wanted_news_(wanted_news), limits_(limits_of(impl_of(call))), reader_(max_leader_event) {}

asio::awaitable<Result<void>> LeaderStream::run() { return with_background(send_wanted(), read()); }

asio::awaitable<Result<void>> LeaderStream::read() {
  CallOptions options = call_.options();
  options.timeout(for_ever).retry(RetryPolicy().max_retries(0));
  auto script = [this](Call& inner) { return open(inner); };
  co_return co_await run_call<void>(impl_of(call_).shared_from_this(), std::move(options), CallSubject("the stream of the leader " + url_),
                                    std::move(script));
}

asio::awaitable<Result<void>> LeaderStream::open(Call& inner) {
  Result<ApiRequest> made = link_.request(inner, url_, fmt::format("/v1/replica?id={}&schema={}", self_, schema_));
  if (!made) co_return made.error();
  made->http.headers.add("Accept", "text/event-stream");
  made->exchange.response_timeout = leader_silence;
  const Result<HttpResponse> response = co_await api_stream(inner, *made, *this, std::numeric_limits<std::size_t>::max());
  if (!response) co_return response.error();
  co_return Failure(Errc::unavailable, "the leader has ended its stream");
}

// Errors: cancelled.
asio::awaitable<Result<void>> LeaderStream::send_wanted() {
  Runtime::Impl& impl = impl_of(call_);
  std::optional<WantedDocument> sent;
  SteadyTime counted_at = SteadyTime::min();
  SteadyTime said_at = SteadyTime::min();
  for (;;) {
    Duration pause = usual_between_lists;
    WantedDocument document = listener_.wanted();
    document.replica = self_;
    document.schema = schema_;
    const SteadyTime began = impl.time->now();
    document.is_same = sent && is_same_but_for_followers(*sent, document) && began - counted_at < 6 * usual_between_lists;
    if (document.is_same) {
      document.version = sent->version;
      document.targets.clear();
    }
    const bool is_due = !document.is_same || began - said_at >= usual_between_lists;
    if (epoch_ && is_due) {
      auto script = [this, &document](Call& inner) { return put(inner, document); };
      CallOptions options;
      options.timeout(time_for_wanted).retry(RetryPolicy().max_retries(0));
      const Result<void> put_there = co_await run_call<void>(impl.shared_from_this(), std::move(options),
                                                             CallSubject("the wanted targets of this replica"), std::move(script));
      if (put_there.has_error() && put_there.error().code() == Errc::cancelled) co_return put_there.error();
      if (put_there) {
        said_at = impl.time->now();
        if (!document.is_same) counted_at = said_at;
        if (!document.is_same) sent = std::move(document);
        const bool goes_on = co_await sleep_until(*impl.timers, saturating_sum(said_at, shortest_between_lists));
        if (!goes_on) co_return Failure(Errc::cancelled, "cancelled while following the leader");
      } else {
        pause = pause_after_refusal;
      }
    }
    const bool is_awake = co_await wanted_news_.wait_until(*impl.timers, saturating_sum(impl.time->now(), pause));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following the leader");
  }
}

asio::awaitable<Result<void>> LeaderStream::put(Call& inner, const WantedDocument& document) {
  Result<ApiRequest> made = link_.request(inner, url_, "/v1/replica/wanted");
  if (!made) co_return made.error();
  made->http.method = HttpMethod::put;
  made->http.headers.add("Content-Type", "application/json");
  made->http.body = render_wanted(document);
  made->http.is_repeatable = true;
  const Result<HttpResponse> response = co_await api_send(inner, *made);
  if (!response) co_return response.error();
  co_return Result<void>();
}

Result<void> LeaderStream::take(std::string_view piece) {
  Result<void> fed = reader_.feed(piece);
  if (!fed) return fed;
  const SteadyTime now = impl_of(call_).time->now();
  while (std::optional<ServerEvent> event = reader_.next()) {
    Result<void> taken = take_event(*event, now);
    if (!taken) return taken;
  }
  return {};
}

Result<void> LeaderStream::take_event(const ServerEvent& event, SteadyTime came_at) {
  const std::string& type = event.type;
  if (type == "hello") return take_hello(event.data);
  if (!epoch_) return Failure(Errc::malformed_response, fmt::format("the leader begins with {}, not with hello", quoted(type, 32)));
  if (type == "topic") return take_topic(event.data, came_at);
  if (type == "members") return take_part(event.data);
  if (type == "looked") return take_looked(event.data, came_at);
  if (type == "gone") return take_gone(event.data);
  if (type == "reached") return take_reached(event.data, event.id, came_at);
  return {};  // of a later schema
}

Result<void> LeaderStream::take_hello(std::string_view json) {
  const Result<HelloDocument> hello = parse_hello(json, limits_, schema_);
  if (!hello) return hello.error();
  const Result<void> taken = listener_.on_hello(hello->epoch);
  if (!taken) return taken;
  epoch_ = hello->epoch;
  schema_ = hello->schema;
  wanted_news_.wake();
  return {};
}

Result<void> LeaderStream::take_topic(std::string_view json, SteadyTime came_at) {
  if (pending_) return Failure(Errc::malformed_response, "the leader begins a topic before the end of another one");
  Result<TopicDocument> document = parse_topic(json, limits_);
  if (!document) return document.error();
  Pending pending;
  pending.sent_at = sent_at(document->sent_at, came_at);
  pending.parts = document->parts;
  pending.document = std::move(*document);
  if (pending.parts == 0) return apply(std::move(pending));
  pending_ = std::move(pending);
  return {};
}

Result<void> LeaderStream::take_part(std::string_view json) {
  Result<PartDocument> part = parse_part(json, limits_);
  if (!part) return part.error();
  if (!pending_ || part->topic != pending_->document.topic)
    return Failure(Errc::malformed_response, "the leader sends members of no topic that it has begun");
  StatusDelta& all = pending_->difference;
  std::vector<Member> changed = std::move(all.changed);
  std::vector<std::pair<std::string, int>> gone = std::move(all.gone);
  all = std::move(part->members.delta);
  changed.insert(changed.end(), std::make_move_iterator(all.changed.begin()), std::make_move_iterator(all.changed.end()));
  gone.insert(gone.end(), all.gone.begin(), all.gone.end());
  all.changed = std::move(changed);
  all.gone = std::move(gone);
  if (all.changed.size() > limits_.max_endpoints)
    return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} members", pending_->document.target, limits_.max_endpoints));
  if (--pending_->parts > 0) return {};
  Pending whole = std::move(*pending_);
  pending_.reset();
  return apply(std::move(whole));
}

Result<void> LeaderStream::apply(Pending pending) {
  const Number number = pending.document.topic;
  const auto known = topics_.find(number);
  const bool is_first = known == topics_.end();
  if (!is_first && !known->second && !pending.document.is_whole) return {};
  std::shared_ptr<SharedTopic> topic = is_first || !known->second ? listener_.topic_of(pending.document.target) : known->second;
  topics_[number] = topic;
  if (!topic) return {};
  Result<void> taken = topic->take(pending.document, std::move(pending.difference), *epoch_, pending.sent_at);
  if (taken || taken.error().code() != Errc::limit_exceeded) return taken;
  topic->mark(taken.error().what());
  topics_[number] = nullptr;
  return {};
}

Result<void> LeaderStream::take_looked(std::string_view json, SteadyTime came_at) {
  const Result<LookedDocument> looked = parse_looked(json, limits_);
  if (!looked) return looked.error();
  const SteadyTime polled_at = sent_at(looked->sent_at, came_at) - looked->age;
  for (const Number number : looked->topics) {
    const auto known = topics_.find(number);
    if (known == topics_.end()) return Failure(Errc::malformed_response, "the leader has polled a topic that it has not told");
    if (known->second) known->second->take_poll(polled_at);
  }
  return {};
}

Result<void> LeaderStream::take_gone(std::string_view json) {
  const Result<GoneDocument> gone = parse_gone(json, limits_);
  if (!gone) return gone.error();
  for (const Number number : gone->topics) {
    const auto known = topics_.find(number);
    if (known == topics_.end()) continue;
    const std::shared_ptr<SharedTopic> topic = std::move(known->second);
    topics_.erase(known);
    if (topic) listener_.on_gone(*topic);
  }
  return {};
}

Result<void> LeaderStream::take_reached(std::string_view json, std::string_view id, SteadyTime came_at) {
  Result<ReachedDocument> reached = parse_reached(json, limits_);
  if (!reached) return reached.error();
  const std::optional<Position> position = Position::parse(id);
  if (!position || position->epoch != *epoch_ || pending_)
    return Failure(Errc::malformed_response, fmt::format("the leader says that all was sent up to {}", quoted(id, 64)));
  const SteadyTime as_of = sent_at(reached->sent_at, came_at);
  listener_.on_reached(*position, std::move(*reached), as_of);
  return {};
}

}  // namespace rollcall::fleet
