#include "sim/kubernetes/k8s_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/saturating.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

constexpr Duration bookmark_interval = std::chrono::minutes(1);

class KubeWatch {
 public:
  KubeWatch(const KubeQuestion& question, const KubeListOptions& options, const KubeWatchSource& source)
      : question_(question), options_(options), source_(source),
        send_([this](std::string_view type, json::object object) { send(type, std::move(object)); }) {
    if (question.request.held) {
      held_ = *question.request.held;
    } else {
      held_.since = held_.last = question.now;
      held_.until = saturating_sum(question.now, time_out());
    }
  }

  Reply answer() {
    if (!held_.is_streaming) {
      if (auto instead = open()) return *std::move(instead);
      held_.is_streaming = true;
      held_.first_version = held_.version;
    }
    const std::optional<SteadyTime> restart = next_restart();
    const bool is_cut = restart && question_.now >= *restart;
    const bool is_over = is_cut || question_.now >= held_.until;
    send_events();
    if (options_.allows_bookmarks && !is_cut) send_bookmarks();
    Reply reply = finish();
    if (is_cut) {
      reply.fault.kind = FaultKind::truncate;
      reply.fault.bytes = reply.body.size();
    } else if (!is_over) {
      held_.last = question_.now;
      held_.ask_again = next_turn(restart);
      reply.more = held_;
    }
    return reply;
  }

 private:
  Duration time_out() const {
    const std::int64_t seconds = options_.timeout_seconds.value_or(0);
    if (seconds > 0) return std::chrono::seconds(std::min<std::int64_t>(seconds, 1'000'000'000));
    const std::uint64_t spread = std::strtoull(fingerprint(std::to_string(question_.context.state.total)).c_str(), nullptr, 16);
    return std::chrono::seconds(1800 + spread % 1800);  // half an hour to an hour
  }

  SteadyTime steady(Duration at) const { return saturating_sum(question_.now, at - question_.context.now); }

  // Finds the start of the watch. Returns an answer in place of a stream if there is no stream, or one that ends with an error at once.
  std::optional<Reply> open() {
    const auto wanted = parse_resource_version(options_.version);
    if (!wanted) return kube_error(kube_status(500, "", wanted.error().what()));
    held_.version = question_.current;
    if (options_.sends_initial_events && *options_.sends_initial_events) return open_with_list(*wanted);
    if (*wanted == 0) {
      if (!options_.sends_initial_events) source_.send_present(send_);
      return std::nullopt;
    }
    const std::uint64_t oldest = kube_oldest_watched(question_.model, question_.context.now);
    if (*wanted < oldest) return failed(kube_status(410, "Expired", fmt::format("too old resource version: {} ({})", *wanted, oldest)));
    held_.version = *wanted;
    return std::nullopt;
  }

  std::optional<Reply> open_with_list(std::uint64_t wanted) {
    if (question_.model.watch_list == WatchListSupport::failing) {
      return failed(
          kube_status(500, "InternalError",
                      "a watch stream was requested by the client but the required storage feature RequestWatchProgress is disabled"));
    }
    bool is_late = false;
    if (auto waiting = wait_for_version(question_, wanted, is_late)) {
      waiting->hold->until = held_.until;
      return waiting;
    }
    if (is_late) return failed(kube_too_large_version(wanted, question_.current));
    source_.send_present(send_);
    if (options_.allows_bookmarks) send_bookmark(true);
    return std::nullopt;
  }

  Reply failed(json::object status) {
    send("ERROR", std::move(status));
    return finish();
  }

  Reply finish() {
    Reply reply;
    reply.headers.add("Content-Type", "application/json");
    reply.is_chunked = true;
    reply.body = std::move(body_);
    reply.chunks = std::move(chunks_);
    return reply;
  }

  void send(std::string_view type, json::object object) {
    const json::object event{{"type", type}, {"object", std::move(object)}};
    const std::string line = kube_json_text(event) + "\n";
    body_ += line;
    chunks_.push_back(line.size());
  }

  void send_bookmark(bool is_end_of_list) {
    json::object metadata{{"resourceVersion", std::to_string(question_.current)}};
    if (is_end_of_list) metadata["annotations"] = json::object{{"k8s.io/initial-events-end", "true"}};
    send("BOOKMARK", source_.bookmark(std::move(metadata)));
  }

  void send_events() {
    for (std::uint64_t version = held_.version + 1; version <= question_.current; ++version) {
      if (const KubeEvent* const event = kube_event_of(question_.model, version)) source_.send_change(version, *event, send_);
    }
    held_.version = std::max(held_.version, question_.current);
  }

  // One per minute, and two in the last seconds, but only after a change.
  std::vector<SteadyTime> bookmark_times() const {
    std::vector<SteadyTime> out = {held_.until - std::chrono::seconds(2), held_.until - std::chrono::seconds(1)};
    const auto minutes = (held_.last - held_.since) / bookmark_interval;
    out.push_back(held_.since + (minutes + 1) * bookmark_interval);
    return out;
  }

  void send_bookmarks() {
    if (question_.current <= held_.first_version) return;
    for (const SteadyTime due : bookmark_times()) {
      if (due > held_.last && due <= question_.now) send_bookmark(false);
    }
  }

  std::optional<SteadyTime> next_restart() const {
    for (const Duration at : question_.model.restarts) {
      if (steady(at) > held_.since) return steady(at);
    }
    return std::nullopt;
  }

  SteadyTime next_turn(std::optional<SteadyTime> restart) const {
    SteadyTime out = held_.until;
    if (restart) out = std::min(out, *restart);
    if (const KubeEvent* event = kube_event_of(question_.model, question_.current + 1)) out = std::min(out, steady(event->at));
    if (!options_.allows_bookmarks) return out;
    for (const SteadyTime due : bookmark_times()) {
      if (due > question_.now) out = std::min(out, due);
    }
    return out;
  }

  const KubeQuestion& question_;
  const KubeListOptions& options_;
  const KubeWatchSource& source_;
  KubeWatchSource::Send send_;
  Held held_;
  std::string body_;
  std::vector<std::size_t> chunks_;
};

class PodSource final : public KubeWatchSource {
 public:
  PodSource(const KubeQuestion& question, const KubeListOptions& options) : question_(question), options_(options) {}

  void send_present(const Send& send) const override {
    for (const KubePod& pod : question_.model.pods) {
      if (!is_in_scope(pod, question_.route)) continue;
      const KubePodState* const state = kube_state_at(pod, question_.current);
      if (state && is_selected(pod, state)) send("ADDED", shown(pod, *state, state->version));
    }
  }

  void send_change(std::uint64_t version, const KubeEvent& event, const Send& send) const override {
    if (event.is_of_object) return;
    const KubePod& pod = question_.model.pods[event.pod];
    if (!is_in_scope(pod, question_.route)) return;
    const KubePodState& state = pod.states[event.state];
    const KubePodState* const before = event.state > 0 ? &pod.states[event.state - 1] : nullptr;
    const bool was_selected = is_selected(pod, before);
    if (is_selected(pod, &state)) {
      send(was_selected ? "MODIFIED" : "ADDED", shown(pod, state, version));
    } else if (was_selected) {  // deleted, or no longer selected: sent in its last selected state
      send("DELETED", shown(pod, state.is_gone ? state : *before, version));
    }
  }

  json::object bookmark(json::object metadata) const override {
    json::object object{{"metadata", std::move(metadata)}, {"spec", {{"containers", nullptr}}}, {"status", json::object()}};
    return kube_shown(std::move(object), "Pod", question_.view);
  }

 private:
  json::object shown(const KubePod& pod, const KubePodState& state, std::uint64_t version) const {
    return kube_shown(kube_pod_json(question_.model, pod, state, version), "Pod", question_.view);
  }

  bool is_selected(const KubePod& pod, const KubePodState* state) const {
    if (!state || state->is_gone || !matches(options_.labels, *state->labels)) return false;
    return options_.fields.empty() || matches(options_.fields, kube_pod_json(question_.model, pod, *state, state->version));
  }

  const KubeQuestion& question_;
  const KubeListOptions& options_;
};

}  // namespace

Reply kube_watch(const KubeQuestion& question, const KubeListOptions& options, const KubeWatchSource& source) {
  return KubeWatch(question, options, source).answer();
}

Reply watch_pods(const KubeQuestion& question, const KubeListOptions& options) {
  return kube_watch(question, options, PodSource(question, options));
}

}  // namespace rollcall::sim
