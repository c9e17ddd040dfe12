#include "fleet/replicas/replica_feed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration shortest_round = std::chrono::milliseconds(50);
constexpr std::size_t members_a_part = 500;

}  // namespace

ReplicaFeed::ReplicaFeed(std::shared_ptr<FleetCore> core, const SharedTopics& topics, HelloDocument hello,
                         std::function<ReachedDocument()> report, ReplicaLine& line)
    : core_(std::move(core)), topics_(topics), hello_(std::move(hello)), report_(std::move(report)), line_(line) {}

asio::awaitable<bool> ReplicaFeed::write(std::string_view event, std::string data, const Position& at) {
  std::string text = render_server_event(event, data, at.to_text());
  const bool is_written = co_await line_.write(std::move(text));
  co_return is_written && !is_ended_ && !line_.is_over();
}

asio::awaitable<void> ReplicaFeed::run() {
  std::string text = render_hello(hello_);
  bool goes_on = co_await write("hello", std::move(text), Position(core_->epoch, 0));
  while (goes_on) {
    const SteadyTime began = now();
    goes_on = co_await line_.wait_writable();
    if (!goes_on || is_ended_) co_return;
    goes_on = co_await send_round();
    if (!goes_on) co_return;
    const bool is_awake = co_await line_.news.wait_until(*impl_of(core_->runtime).timers, saturating_sum(began, heartbeat_pause));
    if (!is_awake || is_ended_ || line_.is_over()) co_return;
    const SteadyTime next = saturating_sum(began, shortest_round);
    if (now() < next) goes_on = co_await sleep_until(*impl_of(core_->runtime).timers, next);
  }
}

// A topic that changes meanwhile is sent again in the next round: the reached at the end says up to where nothing is missing.
asio::awaitable<bool> ReplicaFeed::send_round() {
  const Position position(core_->epoch, core_->revision());
  ++round_;
  std::vector<std::shared_ptr<SharedTopic>> all;
  all.reserve(topics_.size());
  for (const auto& [text, topic] : topics_) all.push_back(topic);
  for (std::shared_ptr<SharedTopic>& topic : all) {
    if (topic->known().epoch != core_->epoch) {  // this leader has not seen it yet
      const auto known = sent_.find(topic->number());
      if (known != sent_.end()) known->second.round = round_;
      continue;
    }
    Sent& sent = sent_[topic->number()];
    sent.round = round_;
    const bool goes_on = co_await send_topic(std::move(topic), sent);
    if (!goes_on) co_return false;
  }
  for (auto& [polled_at, looked] : looked_) {
    looked.sent_at = clock();
    looked.age = age_at(polled_at, now()).value_or(Milliseconds(0));
    std::string data = render_looked(looked);
    const bool goes_on = co_await write("looked", std::move(data), Position(core_->epoch, 0));
    if (!goes_on) co_return false;
  }
  looked_.clear();
  const bool goes_on = co_await send_gone();
  if (!goes_on) co_return false;
  ReachedDocument reached = report_();
  reached.sent_at = clock();
  std::string data = render_reached(reached);
  co_return co_await write("reached", std::move(data), position);
}

asio::awaitable<bool> ReplicaFeed::send_gone() {
  GoneDocument gone;
  for (auto one = sent_.begin(); one != sent_.end();) {
    if (one->second.round != round_) gone.topics.push_back(one->first);
    one = one->second.round != round_ ? sent_.erase(one) : std::next(one);
  }
  if (gone.topics.empty()) co_return true;
  std::string data = render_gone(gone);
  co_return co_await write("gone", std::move(data), Position(core_->epoch, 0));
}

// `difference` is set if the status is sent as one.
TopicDocument ReplicaFeed::document_of(const SharedTopic& topic, Sent& sent, std::optional<StatusDelta>& difference) const {
  const Known& known = topic.known();
  TopicDocument document;
  document.topic = topic.number();
  document.sent_at = clock();
  document.target = topic.target();
  document.is_followed = sent.is_followed = topic.is_followed();
  document.revision = known.revision;
  document.spec_revision = known.spec_revision;
  document.generation = known.generation;
  document.age = age_at(known.polled_at, now());
  document.trouble = known.trouble;
  document.failure = known.failure;
  document.has_status = known.status != nullptr;
  const bool is_sent = sent.has_status && known.status && sent.status.lock() == known.status;
  if (known.status && !is_sent) {
    if (sent.has_status) difference = topic.since(sent.revision);
    document.is_whole = !difference;
    document.accelerator_type = known.status->accelerator_type;
    const std::size_t changed = difference ? difference->changed.size() : known.status->members.size();
    document.parts = static_cast<int>(std::max<std::size_t>(1, (changed + members_a_part - 1) / members_a_part));
  }
  document.has_spec = known.spec != nullptr;
  if (known.spec && (sent.revision == 0 || sent.spec_revision != known.spec_revision)) document.spec = known.spec;
  document.is_spec_old = sent.is_spec_old = known.is_spec_old;
  document.spec_age = age_at(known.spec_polled_at, now());
  document.spec_generation = known.spec_generation;
  const std::deque<PhaseChange>& history = topic.history();
  const auto is_it = [](const PhaseChange& a, const PhaseChange& b) {
    return a.when == b.when && a.phase == b.phase && a.state == b.state && a.ready == b.ready && a.total == b.total;
  };
  document.has_history = !history.empty() && (!sent.last_phase || !is_it(*sent.last_phase, history.back()));
  if (document.has_history) {
    sent.last_phase = history.back();
    for (const PhaseChange& change : history) {
      PhaseDocument& phase = document.history.emplace_back();
      phase.at_ms = std::chrono::duration_cast<Milliseconds>(change.when.time_since_epoch()).count();
      phase.phase = change.phase;
      phase.state = change.state;
      phase.ready = change.ready;
      phase.total = change.total;
    }
  }
  sent.revision = known.revision;
  sent.spec_revision = known.spec_revision;
  sent.has_status = document.has_status;
  sent.status = known.status;
  sent.polled_at = known.polled_at;
  return document;
}

asio::awaitable<bool> ReplicaFeed::send_topic(std::shared_ptr<SharedTopic> topic, Sent& sent) {
  const Known& known = topic->known();
  const bool is_new = sent.polled_at == std::nullopt && sent.revision == 0 && sent.spec_revision == 0 && !sent.has_status;
  const bool is_same = sent.revision == known.revision && sent.spec_revision == known.spec_revision &&
                       sent.is_spec_old == known.is_spec_old && sent.is_followed == topic->is_followed() && !is_new;
  if (is_same) {
    if (known.polled_at && sent.polled_at != known.polled_at) looked_[*known.polled_at].topics.push_back(topic->number());
    sent.polled_at = known.polled_at;
    co_return true;
  }
  std::optional<StatusDelta> difference;
  const std::shared_ptr<const ClusterStatus> status = known.status;
  const std::uint64_t generation = known.generation;
  TopicDocument document = document_of(*topic, sent, difference);
  const int parts = document.parts;
  std::string data = render_topic(document);
  const bool goes_on = co_await write("topic", std::move(data), Position(core_->epoch, 0));
  if (!goes_on || parts == 0) co_return goes_on;
  co_return co_await send_members(*topic, status, std::move(difference), generation);
}

asio::awaitable<bool> ReplicaFeed::send_members(const SharedTopic& topic, std::shared_ptr<const ClusterStatus> status,
                                                std::optional<StatusDelta> difference, std::uint64_t generation) {
  const std::vector<Member>& changed = difference ? difference->changed : status->members;
  for (std::size_t from = 0; from == 0 || from < changed.size(); from += members_a_part) {
    const std::size_t to = std::min(from + members_a_part, changed.size());
    StatusDelta part;
    set_whole(part, *status);
    part.changed.assign(changed.begin() + static_cast<std::ptrdiff_t>(from), changed.begin() + static_cast<std::ptrdiff_t>(to));
    if (difference && from == 0) part.gone = std::move(difference->gone);
    std::string data = render_part(topic.number(), generation, part);
    const bool goes_on = co_await write("members", std::move(data), Position(core_->epoch, 0));
    if (!goes_on) co_return false;
    co_await next_turn();
  }
  co_return true;
}

}  // namespace rollcall::fleet
