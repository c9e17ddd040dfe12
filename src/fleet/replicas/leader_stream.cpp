#include "fleet/replicas/leader_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "async/with_background.hpp"
#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/replicas/shared_fleet.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_leader_event = 32 << 20;
constexpr Duration leader_silence = std::chrono::seconds(6);  // of a leader, which says something every two seconds
constexpr Duration time_for_wanted = std::chrono::seconds(5);
constexpr Duration pause_after_refusal = std::chrono::seconds(1);
constexpr Duration shortest_between_lists = std::chrono::milliseconds(100);
constexpr Duration usual_between_lists = std::chrono::seconds(5);

// Followers come and go all the time; only the leader's fallback schedule depends on their number.
bool is_same_but_for_followers(const WantedDocument& a, const WantedDocument& b) {
  const auto is_same = [](const WantedTarget& x, const WantedTarget& y) {
    return x.target == y.target && x.wants_spec == y.wants_spec && x.asked == y.asked && (x.followers == 0) == (y.followers == 0);
  };
  return std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(), is_same);
}

}  // namespace

PeerLink::PeerLink(AccessFiles access, const std::string& token_file)
    : access_(std::move(access), "the other replicas"), credentials_(token_file.empty() ? nullptr : rollcall::token_file(token_file)) {}

Result<ApiRequest> PeerLink::request(Call& call, const std::string& root, std::string_view path) {
  Result<Url> url = parse_api_root("the lease", root, "the address of a replica");
  if (!url) return url.error();
  // What the leader says is believed, and handed out as addresses of members.
  if (!url->is_https && !is_loopback(url->host))
    return Failure(Errc::refused_by_policy, fmt::format("the leader serves at {}, without TLS", url->origin()))
        .with_hint("give all replicas a certificate (tls); plain http is for addresses of this machine only");
  ApiRequest request(std::move(*url));
  request.http.url.target.pop_back();
  request.http.url.target.append(path);
  Result<std::shared_ptr<const ServerAccess>> by = access_.read(impl_of(call));
  if (!by) return by.error();
  request.http.access = std::move(*by);
  request.with_token = credentials_ != nullptr;
  request.credentials = credentials_;
  request.is_probe = true;  // the caller tries again
  request.counts_against_limit = false;
  request.what = "the leader " + request.http.url.origin();
  return request;
}

LeaderStream::LeaderStream(Call& call, SharedFleet& fleet, PeerLink& link, std::string url)
    : call_(call), fleet_(fleet), link_(link), url_(std::move(url)), schema_(fleet.self().schema), limits_(parse_limits(impl_of(call))),
      reader_(max_leader_event) {
  limits_.max_document = std::max(limits_.max_document, max_leader_event);
}

asio::awaitable<Result<void>> LeaderStream::run() { return with_background(send_wanted(), read()); }

asio::awaitable<Result<void>> LeaderStream::read() {
  Result<ApiRequest> made = link_.request(call_, url_, fmt::format("/v1/replica?id={}&schema={}", fleet_.self().id, schema_));
  if (!made) co_return made.error();
  made->http.headers.add("Accept", "text/event-stream");
  made->exchange.response_timeout = leader_silence;
  const Result<HttpResponse> response = co_await api_stream(call_, *made, *this, std::numeric_limits<std::size_t>::max());
  if (!response) co_return response.error();
  co_return Failure(Errc::unavailable, "the leader has ended its stream");
}

// Errors: cancelled.
asio::awaitable<Result<void>> LeaderStream::send_wanted() {
  Runtime::Impl& impl = impl_of(call_);
  std::optional<WantedDocument> sent;
  SteadyTime counted_at = SteadyTime::min();
  SteadyTime said_at = SteadyTime::min();
  bool goes_on = true;
  while (goes_on) {
    Duration pause = usual_between_lists;
    WantedDocument document = fleet_.wanted();
    document.schema = schema_;
    const SteadyTime began = impl.time->now();
    document.is_same = sent && is_same_but_for_followers(*sent, document) && began - counted_at < 6 * usual_between_lists;
    if (document.is_same) {
      document.version = sent->version;
      document.targets.clear();
    }
    if (epoch_ && (!document.is_same || began - said_at >= usual_between_lists)) {
      const Result<void> put_there = co_await put(document);
      if (put_there) {
        said_at = impl.time->now();
        if (!document.is_same) counted_at = said_at;
        if (!document.is_same) sent = std::move(document);
        goes_on = co_await sleep_until(*impl.timers, saturating_sum(said_at, shortest_between_lists));
      } else {
        pause = pause_after_refusal;
        goes_on = put_there.error().code() != Errc::cancelled;
      }
    }
    if (goes_on) goes_on = co_await fleet_.wanted_news.wait_until(*impl.timers, saturating_sum(impl.time->now(), pause));
  }
  co_return Failure(Errc::cancelled, "cancelled while following the leader");
}

asio::awaitable<Result<void>> LeaderStream::put(const WantedDocument& document) {
  Result<ApiRequest> made = link_.request(call_, url_, "/v1/replica/wanted");
  if (!made) co_return made.error();
  made->http.method = HttpMethod::put;
  made->http.headers.add("Content-Type", "application/json");
  made->http.body = render_wanted(document);
  made->http.is_repeatable = true;
  made->exchange.response_timeout = time_for_wanted;
  const Result<HttpResponse> response = co_await api_send(call_, *made);
  if (!response) co_return response.error();
  co_return Result<void>();
}

Result<void> LeaderStream::take(std::string_view piece) {
  if (Result<void> fed = reader_.feed(piece); !fed) return fed;
  const SteadyTime now = impl_of(call_).time->now();
  while (std::optional<ServerEvent> event = reader_.next()) {
    if (Result<void> taken = take_event(*event, now); !taken) return taken;
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
  if (Result<void> taken = fleet_.on_hello(hello->epoch); !taken) return taken;
  epoch_ = hello->epoch;
  schema_ = hello->schema;
  fleet_.wanted_news.wake();
  return {};
}

Result<void> LeaderStream::take_topic(std::string_view json, SteadyTime came_at) {
  if (pending_) return Failure(Errc::malformed_response, "the leader begins a topic before the end of another one");
  Result<TopicDocument> document = parse_topic(json, limits_);
  if (!document) return document.error();
  const SteadyTime at = sent_at(document->sent_at, came_at);
  Known& known = document->known;
  known.epoch = *epoch_;
  if (document->age) known.polled_at = at - *document->age;
  if (document->spec_age) known.spec_polled_at = at - *document->spec_age;
  if (document->parts == 0) return apply(std::move(*document));
  pending_ = std::move(*document);
  return {};
}

Result<void> LeaderStream::take_part(std::string_view json) {
  Result<PartDocument> part = parse_part(json, limits_);
  if (!part) return part.error();
  if (!pending_ || part->topic != pending_->topic)
    return Failure(Errc::malformed_response, "the leader sends members of no topic that it has begun");
  StatusDelta& more = part->members.delta;
  if (!pending_->difference) {
    pending_->difference = std::move(more);
  } else {
    StatusDelta& all = *pending_->difference;
    std::move(more.changed.begin(), more.changed.end(), std::back_inserter(all.changed));
    std::move(more.gone.begin(), more.gone.end(), std::back_inserter(all.gone));
  }
  if (pending_->difference->changed.size() > limits_.max_endpoints)
    return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} members", pending_->target, limits_.max_endpoints));
  if (--pending_->parts > 0) return {};
  TopicDocument whole = std::move(*pending_);
  pending_.reset();
  return apply(std::move(whole));
}

Result<void> LeaderStream::apply(TopicDocument document) {
  const auto [known, is_new] = topics_.try_emplace(document.topic);
  std::shared_ptr<SharedTopic>& topic = known->second;
  if (!topic && (is_new || document.is_whole)) topic = fleet_.topic_of(document.target);
  if (!topic) return {};
  Result<void> taken = topic->take(std::move(document));
  if (taken || taken.error().code() != Errc::limit_exceeded) return taken;
  topic = nullptr;
  return {};
}

Result<void> LeaderStream::take_looked(std::string_view json, SteadyTime came_at) {
  const Result<LookedDocument> looked = parse_looked(json, limits_);
  if (!looked) return looked.error();
  const SteadyTime polled_at = sent_at(looked->sent_at, came_at) - looked->age;
  for (const std::uint64_t number : looked->topics) {
    const auto known = topics_.find(number);
    if (known == topics_.end()) return Failure(Errc::malformed_response, "the leader has polled a topic that it has not told");
    if (known->second) known->second->take_poll(polled_at);
  }
  return {};
}

Result<void> LeaderStream::take_gone(std::string_view json) {
  const Result<LookedDocument> gone = parse_gone(json, limits_);
  if (!gone) return gone.error();
  for (const std::uint64_t number : gone->topics) {
    const auto gone_one = topics_.extract(number);
    if (gone_one && gone_one.mapped()) gone_one.mapped()->note_gone();
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
  fleet_.on_reached(*position, std::move(*reached), as_of);
  return {};
}

}  // namespace rollcall::fleet
