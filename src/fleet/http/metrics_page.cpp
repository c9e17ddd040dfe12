// /metrics: the numbers of the service and of its process, for Prometheus.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/rules/source_key.hpp"
#include "metrics/observe.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_source_labels = 199;  // 200 with `other`

// The age of the oldest poll by source.
class SourceAges {
 public:
  void add(const Topic& topic, SteadyTime now) {
    if (!topic.known().polled_at) return;
    const Result<Target> target = Target::parse(topic.target());
    if (!target) return;
    std::string label = source_label(source_key(*target));
    if (ages_.size() >= max_source_labels && !ages_.contains(label)) label = "other";
    Duration& age = ages_[std::move(label)];
    age = std::max(age, saturating_difference(now, *topic.known().polled_at));
  }
  void append_to(MetricsSnapshot& snapshot) const {
    MetricFamily& family = add_family(snapshot, MetricType::gauge, "rollcall_serve_status_age_seconds",
                                      "Age of the oldest poll among the followed targets of a source", {"source"});
    for (const auto& [source, age] : ages_) add_sample(family, {source}, std::chrono::duration<double>(age).count());
  }

 private:
  std::map<std::string, Duration> ages_;
};

void append_gauge(MetricsSnapshot& snapshot, std::string_view name, std::string help, std::size_t value) {
  MetricFamily& family = add_family(snapshot, MetricType::gauge, fmt::format("rollcall_serve_{}", name), std::move(help));
  add_sample(family, {}, static_cast<double>(value));
}

void append_to(MetricsSnapshot& snapshot, const ReplicaNumbers& replica) {
  append_gauge(snapshot, "leads", "1 if this replica polls the clouds for all", replica.leads ? 1 : 0);
  append_gauge(snapshot, "epoch", "The highest epoch of a leader that was seen", replica.epoch);
  append_gauge(snapshot, "replicas_connected", "Replicas that follow this one", replica.connected);
  if (replica.view_age) {
    MetricFamily& age = add_family(snapshot, MetricType::gauge, "rollcall_serve_view_age_seconds",
                                   "Since the last event of the leader; 0 where this replica leads");
    add_sample(age, {}, std::chrono::duration<double>(*replica.view_age).count());
  }
  MetricFamily& changes = add_family(snapshot, MetricType::counter, "rollcall_serve_leader_changes_total",
                                     "Leaders that this replica has seen begin, itself included");
  add_sample(changes, {}, static_cast<double>(replica.leader_changes));
}

class MetricsPage final : public Page {
 public:
  explicit MetricsPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);

  ServiceEntry& entry_;
};

}  // namespace

asio::awaitable<void> MetricsPage::answer(PageRequest request) { return send(request.exchange, std::move(request.client)); }

asio::awaitable<void> MetricsPage::send(ServerExchange& exchange, ClientPtr client) {
  if (!entry_.admission().may_read_metrics(*client)) {
    Failure why(Errc::permission_denied, "this client may not read the service's metrics");
    Refusal refusal(403, std::move(why).with_hint("the service's operator grants them: metrics: true"));
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  MetricsSnapshot snapshot;
  if (entry_.metrics()) snapshot = entry_.metrics()->snapshot();
  const std::vector<std::shared_ptr<Topic>> topics = entry_.fleet().topics();
  SourceAges ages;
  std::size_t followed = 0;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    if (i % steps_a_turn == steps_a_turn - 1) co_await next_turn();
    if (!topics[i]->is_followed()) continue;
    ++followed;
    ages.add(*topics[i], entry_.now());
  }
  append_gauge(snapshot, "targets", "Targets that are known, or are to be polled", topics.size());
  append_gauge(snapshot, "targets_followed", "Of these, the ones with a listener, now or a while ago", followed);
  append_gauge(snapshot, "memory_bytes", "Memory that is charged for the state of all targets", entry_.fleet().memory_bytes());
  ages.append_to(snapshot);
  if (const auto replica = entry_.fleet().replica_numbers()) append_to(snapshot, *replica);
  entry_.numbers().append_to(snapshot);
  HttpResponse response;
  response.status = 200;
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  std::string text = snapshot.to_prometheus();
  snapshot = MetricsSnapshot();
  co_await reply_own(entry_, exchange, *client, std::move(response), std::move(text));
}

std::unique_ptr<Page> make_metrics_page(ServiceEntry& entry) { return std::make_unique<MetricsPage>(entry); }

}  // namespace rollcall::fleet
