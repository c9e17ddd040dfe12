#include "fleet/replicas/replica_feed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration heartbeat_pause = std::chrono::seconds(2);
constexpr Duration shortest_round = std::chrono::milliseconds(50);
constexpr int members_a_part = 500;

const std::vector<Member>& changed_in(const TopicDocument& document) {
  return document.difference ? document.difference->changed : document.known.status->members;
}

}  // namespace

ReplicaFeed::ReplicaFeed(std::shared_ptr<FleetCore> core, const SharedTopics& topics, HelloDocument hello,
                         std::function<ReachedDocument()> report, ReplicaLine& line)
    : core_(std::move(core)), topics_(topics), hello_(std::move(hello)), report_(std::move(report)), line_(line) {}

asio::awaitable<bool> ReplicaFeed::write(std::string_view event, std::string data, std::uint64_t revision) {
  std::string text = render_server_event(event, data, Position(core_->epoch, revision).to_text());
  const bool is_written = co_await line_.write(std::move(text));
  co_return is_written && !is_over();
}

asio::awaitable<void> ReplicaFeed::run() {
  TimerQueue& timers = *impl_of(core_->runtime).timers;
  bool goes_on = co_await write("hello", render_hello(hello_));
  while (goes_on) {
    const SteadyTime began = now();
    goes_on = co_await line_.wait_writable();
    if (!goes_on || is_ended_) co_return;
    goes_on = co_await send_round();
    if (!goes_on) co_return;
    const bool is_awake = co_await line_.news.wait_until(timers, saturating_sum(began, heartbeat_pause));
    if (!is_awake || is_over()) co_return;
    const SteadyTime next = saturating_sum(began, shortest_round);
    if (now() < next) goes_on = co_await sleep_until(timers, next);
  }
}

// A topic that changes meanwhile is sent again in the next round: the reached at the end says up to where nothing is missing.
asio::awaitable<bool> ReplicaFeed::send_round() {
  const std::uint64_t revision = core_->revision();
  ++round_;
  std::vector<std::shared_ptr<SharedTopic>> all;
  for (const auto& [text, topic] : topics_) all.push_back(topic);
  for (std::shared_ptr<SharedTopic>& topic : all) {
    const std::uint64_t number = topic->number();
    if (topic->known().epoch == core_->epoch) {
      const bool goes_on = co_await send_topic(std::move(topic), sent_[number]);
      if (!goes_on) co_return false;
    } else if (!sent_.contains(number)) {
      continue;  // this leader has not seen it yet
    }
    sent_[number].round = round_;
  }
  for (auto& [polled_at, looked] : looked_) {
    looked.sent_at = clock();
    looked.age = age_at(polled_at, now()).value_or(Milliseconds(0));
    const bool goes_on = co_await write("looked", render_looked(looked));
    if (!goes_on) co_return false;
  }
  looked_.clear();
  LookedDocument gone;
  std::erase_if(sent_, [this, &gone](const auto& one) {
    const bool is_gone = one.second.round != round_;
    if (is_gone) gone.topics.push_back(one.first);
    return is_gone;
  });
  if (!gone.topics.empty()) {
    const bool goes_on = co_await write("gone", render_gone(gone));
    if (!goes_on) co_return false;
  }
  ReachedDocument reached = report_();
  reached.sent_at = clock();
  co_return co_await write("reached", render_reached(reached), revision);
}

TopicDocument ReplicaFeed::document_of(const SharedTopic& topic, Sent& sent) const {
  TopicDocument document;
  document.topic = topic.number();
  document.sent_at = clock();
  document.target = topic.target();
  document.is_followed = topic.is_followed();
  document.known = topic.known();
  Known& known = document.known;
  document.age = age_at(known.polled_at, now());
  document.spec_age = age_at(known.spec_polled_at, now());
  document.has_status = known.status != nullptr;
  document.has_spec = known.spec != nullptr;
  const bool is_sent = sent.has_status && sent.status.lock() == known.status;
  if (known.status && !is_sent) {
    if (sent.has_status) document.difference = topic.since(sent.revision);
    document.is_whole = !document.difference;
    document.parts = std::max(1, (static_cast<int>(changed_in(document).size()) + members_a_part - 1) / members_a_part);
    document.accelerator_type = known.status->accelerator_type;
  }
  if (sent.round != 0 && sent.spec_revision == known.spec_revision) known.spec.reset();
  const std::deque<PhaseChange>& history = topic.history();
  document.has_history = !history.empty() && sent.last_phase != history.back();
  if (document.has_history) {
    document.history.assign(history.begin(), history.end());
    sent.last_phase = history.back();
  }
  sent.revision = known.revision;
  sent.spec_revision = known.spec_revision;
  sent.is_followed = document.is_followed;
  sent.has_status = document.has_status;
  sent.status = known.status;
  sent.polled_at = known.polled_at;
  return document;
}

asio::awaitable<bool> ReplicaFeed::send_topic(std::shared_ptr<SharedTopic> topic, Sent& sent) {
  const Known& known = topic->known();
  const bool is_same = sent.round != 0 && sent.revision == known.revision && sent.spec_revision == known.spec_revision &&
                       sent.is_followed == topic->is_followed();
  if (is_same) {
    if (known.polled_at && sent.polled_at != known.polled_at) looked_[*known.polled_at].topics.push_back(topic->number());
    sent.polled_at = known.polled_at;
    co_return true;
  }
  TopicDocument document = document_of(*topic, sent);
  bool goes_on = co_await write("topic", render_topic(document));
  if (document.parts == 0) co_return goes_on;
  const std::vector<Member>& changed = changed_in(document);
  StatusDelta part;
  set_whole(part, *document.known.status);
  if (document.difference) part.gone = std::move(document.difference->gone);
  auto next = changed.begin();
  for (int left = document.parts; goes_on && left > 0; --left) {
    const auto end = left > 1 ? next + members_a_part : changed.end();
    part.changed.assign(next, end);
    next = end;
    goes_on = co_await write("members", render_part(document.topic, document.known.generation, part));
    part.gone.clear();
    co_await next_turn();
  }
  co_return goes_on;
}

}  // namespace rollcall::fleet
