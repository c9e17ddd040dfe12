// Decision: families are a table, events are counted on arrival, and a snapshot copies. Calls and requests in progress are remembered by
// number, with a limit.
#include "rollcall/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "cluster/awaited_members.hpp"
#include "metrics/observe.hpp"

namespace rollcall {
namespace {

// The order is the table's below.
enum FamilyId : std::size_t {
  calls_total,
  call_seconds,
  requests_total,
  request_seconds,
  requests_open,
  phase_seconds,
  reused_total,
  retries_total,
  backoff_seconds,
  slot_waits_total,
  refreshes_total,
  resolved_total,
  waited_members,
  cluster_members,
  cluster_expected,
  upstream_requests,
  family_count
};

struct FamilyRow {
  std::string_view name;
  std::string_view help;
  MetricType type;
  std::array<std::string_view, 2> labels;
};

// clang-format off
constexpr FamilyRow family_rows[family_count] = {
    {"rollcall_calls_total", "Calls of the library by what was asked and how they ended", MetricType::counter, {"operation", "outcome"}},
    {"rollcall_call_duration_seconds", "How long calls took", MetricType::histogram, {"operation", ""}},
    {"rollcall_requests_total", "Attempts at requests by host and HTTP status, or the failure without one", MetricType::counter, {"host", "status"}},
    {"rollcall_request_duration_seconds", "How long attempts took", MetricType::histogram, {"host", "status"}},
    {"rollcall_requests_in_flight", "Requests without an answer yet", MetricType::gauge, {"", ""}},
    {"rollcall_request_phase_duration_seconds", "How long looking up names, connecting and shaking hands took, and waiting for the answer", MetricType::histogram, {"phase", ""}},
    {"rollcall_connections_reused_total", "Requests that found an open connection", MetricType::counter, {"host", ""}},
    {"rollcall_retries_total", "Attempts that were followed by another one, by HTTP status or failure", MetricType::counter, {"reason", ""}},
    {"rollcall_backoff_seconds", "Waits before another attempt, by who set them: us or the server", MetricType::histogram, {"by", ""}},
    {"rollcall_slot_waits_total", "Requests that had to wait because enough were in flight", MetricType::counter, {"host", ""}},
    {"rollcall_token_refreshes_total", "Access tokens asked for", MetricType::counter, {"outcome", ""}},
    {"rollcall_members_resolved_total", "Members of unions and fan-outs by how their look-up ended", MetricType::counter, {"outcome", ""}},
    {"rollcall_members_awaited", "Members that have been waited for, by what became of them", MetricType::gauge, {"state", ""}},
    {"rollcall_cluster_members", "Members of the cluster that is waited for or watched, by how they stand", MetricType::gauge, {"standing", ""}},
    {"rollcall_cluster_members_expected", "How many members the cluster will have, where that is known", MetricType::gauge, {"", ""}},
    {"rollcall_serve_upstream_requests_total", "Attempts at requests about what a service follows, by project and zone", MetricType::counter, {"source", ""}},
};
// clang-format on

constexpr std::array<double, 13> duration_bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30};

constexpr std::size_t max_open = 65536;

std::string_view outcome_of(const Event& event) { return event.failure ? to_string(event.failure->code()) : "ok"; }

std::string status_of(const Event& event) {
  if (event.status > 0) return std::to_string(event.status);
  return std::string(outcome_of(event));
}

}  // namespace

class Metrics::State {
 public:
  State(std::shared_ptr<LogSink> next_sink, std::size_t series_limit) : next(std::move(next_sink)), max_series(series_limit) {}

  MetricSample& sample(FamilyId family, std::vector<std::string> labels) {
    auto& series = all[family];
    const auto at = series.find(labels);
    if (at != series.end()) return at->second;
    if (series.size() >= max_series) labels.assign(labels.size(), "other");
    MetricSample& made = series[labels];
    made.labels = std::move(labels);
    if (family_rows[family].type == MetricType::histogram) made.buckets.resize(duration_bounds.size() + 1);
    return made;
  }
  void count(FamilyId family, std::vector<std::string> labels) { sample(family, std::move(labels)).value += 1; }
  void observe(FamilyId family, std::vector<std::string> labels, Duration duration) {
    rollcall::observe(sample(family, std::move(labels)), duration_bounds, duration);
  }

  using Open = std::unordered_map<std::uint64_t, SteadyTime>;
  static void open(Open& opened, std::uint64_t number, SteadyTime at) {
    if (opened.size() < max_open) opened.insert_or_assign(number, at);
  }
  static std::optional<Duration> close(Open& opened, std::uint64_t number, SteadyTime at) {
    const auto found = opened.find(number);
    if (found == opened.end()) return std::nullopt;
    const Duration duration = at - found->second;
    opened.erase(found);
    return duration;
  }

  void finish_call(const Event& event) {
    const std::string operation = printable(event.operation, 100);
    sources.erase(event.call);
    count(calls_total, {operation, std::string(outcome_of(event))});
    if (const auto duration = close(calls, event.call, event.at)) observe(call_seconds, {operation}, *duration);
  }

  void start_call(const Event& event) {
    open(calls, event.call, event.at);
    if (event.source.empty() || sources.size() >= max_open) return;
    sources.insert_or_assign(event.call, printable(source_label(event.source), 200));
  }

  void start_attempt(const Event& event) {
    open(attempts, event.exchange, event.at);
    const auto source = sources.find(event.call);
    if (source != sources.end()) count(upstream_requests, {source->second});
  }

  void finish_attempt(const Event& event) {
    const std::vector<std::string> labels = {printable(event.host, 200), status_of(event)};
    count(requests_total, labels);
    if (const auto duration = close(attempts, event.exchange, event.at)) observe(request_seconds, labels, *duration);
  }

  void take(const Event& event);

  std::shared_ptr<LogSink> next;
  std::size_t max_series;
  std::array<std::map<std::vector<std::string>, MetricSample>, family_count> all;
  Open calls;
  Open attempts;
  std::unordered_map<std::uint64_t, std::string> sources;  ///< by call, of a service's
  std::unordered_map<std::uint64_t, std::pair<Phase, SteadyTime>> phases;  ///< by request
  AwaitedMembers members;
};

void Metrics::State::take(const Event& event) {
  switch (event.kind) {
    case EventKind::call_started: return start_call(event);
    case EventKind::call_finished: return finish_call(event);
    case EventKind::attempt_started: return start_attempt(event);
    case EventKind::attempt_finished: return finish_attempt(event);
    case EventKind::phase_started:
      if (phases.size() < max_open) phases.insert_or_assign(event.exchange, std::pair(event.phase, event.at));
      return;
    case EventKind::phase_finished:
      if (const auto found = phases.find(event.exchange); found != phases.end()) {
        if (found->second.first == event.phase)
          observe(phase_seconds, {std::string(to_string(event.phase))}, event.at - found->second.second);
        phases.erase(found);
      }
      return;
    case EventKind::connection_reused: return count(reused_total, {printable(event.subject, 200)});
    case EventKind::backing_off:
      count(retries_total, {status_of(event)});
      return observe(backoff_seconds, {event.is_server_delay ? "server" : "us"}, event.delay);
    case EventKind::waiting_for_slot: return count(slot_waits_total, {printable(event.subject, 200)});
    case EventKind::token_refresh_finished: return count(refreshes_total, {std::string(outcome_of(event))});
    case EventKind::member_resolved:
    case EventKind::member_failed:
    case EventKind::omitted: return count(resolved_total, {std::string(outcome_of(event))});
    case EventKind::member_waiting: return members.set(event.members, false);
    case EventKind::member_ready: return members.set(event.members, true);
    case EventKind::token_refresh_started:
    case EventKind::proxy_chosen:
    case EventKind::place_chosen:
    case EventKind::server_chosen:
    case EventKind::server_left:
    case EventKind::value_disputed:
    case EventKind::security_warning: return;
  }
}

Metrics::Metrics(std::shared_ptr<LogSink> next, std::size_t max_series)
    : state_(std::make_unique<State>(std::move(next), std::max<std::size_t>(max_series, 1))) {}
Metrics::~Metrics() = default;

void Metrics::on_event(const Event& event) noexcept {
  state_->take(event);
  if (state_->next) state_->next->on_event(event);
}

void Metrics::take(const ClusterStatus& status) {
  state_->all[cluster_members].clear();
  std::array<double, 5> counts{};  // by the worse of state and health
  for (const Member& member : status.members) counts[static_cast<std::size_t>(std::max(member.state.level, member.health.level))] += 1;
  for (const MemberState level :
       {MemberState::ready, MemberState::waiting, MemberState::unschedulable, MemberState::stopped, MemberState::lost})
    state_->sample(cluster_members, {std::string(to_string(level))}).value = counts[static_cast<std::size_t>(level)];
  if (status.expected > 0) state_->sample(cluster_expected, {}).value = status.expected;
}

MetricsSnapshot Metrics::snapshot() const {
  MetricsSnapshot snapshot;
  for (std::size_t i = 0; i < family_count; ++i) {
    MetricFamily& family = snapshot.families.emplace_back();
    family.name = family_rows[i].name;
    family.help = family_rows[i].help;
    family.type = family_rows[i].type;
    for (const std::string_view label : family_rows[i].labels) {
      if (!label.empty()) family.label_names.emplace_back(label);
    }
    if (family.type == MetricType::histogram) family.bounds.assign(duration_bounds.begin(), duration_bounds.end());
    for (const auto& [labels, sample] : state_->all[i]) family.samples.push_back(sample);
  }
  snapshot.families[requests_open].samples.emplace_back().value = static_cast<double>(state_->attempts.size());
  const std::array<std::pair<const char*, std::int64_t>, 2> awaited = {
      {{"ready", state_->members.count(true)}, {"waiting", state_->members.count(false)}}};
  for (const auto& [state, number] : awaited) {
    if (state_->members.empty()) break;
    MetricSample& sample = snapshot.families[waited_members].samples.emplace_back();
    sample.labels.emplace_back(state);
    sample.value = static_cast<double>(number);
  }
  return snapshot;
}

}  // namespace rollcall
