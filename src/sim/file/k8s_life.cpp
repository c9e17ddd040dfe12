// The states of a pod over time, from a script.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "sim/file/k8s_draft.hpp"

namespace rollcall::sim {

namespace {

class PodLife {
 public:
  PodLife(KubePod& pod, const KubeTexts& labels) : pod_(pod), first_labels_(labels) {}

  void create(Duration at, const KubeChange& first) {
    const int life = now_.life;
    now_ = KubePodState();
    now_.life = has_lived_ ? life + 1 : 0;
    has_lived_ = true;
    exists_ = true;
    now_.is_new = true;
    now_.created = at;
    labels_ = first_labels_;
    raw_ = boost::json::object();
    KubeChange change = first;
    if (!change.phase && !change.cause) change.phase = "Running";
    apply(change);
    if (now_.cause == "evicted") leave(at, usual_grace);
    push(at);
    now_.is_new = false;
  }

  // The states of a pod with a gradual start, up to the first entry of the script.
  void start_slowly(Duration at, const KubeChange& first, Duration running_at, Duration ready_at) {
    KubeChange pending = first;
    pending.phase = "Pending";
    pending.ready.reset();
    create(at, pending);
    KubePodState& created = pod_.states.back();
    created.is_scheduled = created.is_seen = false;
    created.started.reset();
    created.generation = 1;
    push(at);
    KubeChange running;
    running.phase = "Running";
    running.ready = false;
    apply(running);
    push(running_at);
    if (first.ready && !*first.ready) return;
    become_ready(ready_at);
  }

  void become_ready(Duration at) {
    now_.cause.clear();
    now_.is_ready = true;
    push(at);
  }

  void change(const KubeChange& change) {
    finish_until(change.at);
    if (!exists_) {
      if (!change.is_deletion && !change.terminating) create(change.at, change);
      return;
    }
    if (change.is_deletion) return remove(change.at);
    apply(change);
    const bool is_evicted = change.cause && *change.cause == "evicted";
    if (change.terminating || is_evicted) leave(change.at, change.terminating.value_or(usual_grace));
    push(change.at);
  }

  void finish_until(Duration at) {
    if (!gone_at_ || *gone_at_ > at) return;
    const Duration gone = *gone_at_;
    now_.deletion = gone;
    now_.grace = 0;
    push(gone);
    remove(gone);
  }

 private:
  static constexpr Duration usual_grace = std::chrono::seconds(30);

  void leave(Duration at, Duration grace) {
    gone_at_ = at + grace;
    now_.deletion = gone_at_;
    now_.grace = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
    ++now_.generation;
  }

  void apply(const KubeChange& change) {
    if (change.phase) {
      now_.cause.clear();
      now_.phase = *change.phase;
      now_.reason.clear();
      now_.message.clear();
      now_.waiting.clear();
      now_.exit_code = now_.phase == "Failed" ? 1 : 0;
      now_.is_ready = now_.phase == "Running";
    }
    if (change.cause) begin_cause(*change.cause);
    if (change.reason) now_.reason = *change.reason;
    if (change.message) now_.message = *change.message;
    if (change.waiting) {
      now_.waiting = *change.waiting;
      if (!now_.waiting.empty() && !change.ready) now_.is_ready = false;
    }
    if (change.ready) now_.is_ready = *change.ready;
    if (change.exit_code) now_.exit_code = *change.exit_code;
    if (change.restarts) now_.restarts = *change.restarts;
    if (change.labels) merge_labels(*change.labels);
    if (change.raw) raw_ = *change.raw;
    const bool has_no_node = now_.phase == "Pending" && (now_.waiting == "Unschedulable" || now_.waiting == "SchedulingGated");
    now_.is_scheduled = now_.is_seen = !has_no_node;
    now_.generation = std::max(now_.generation, has_no_node ? 1 : 2);
  }

  // What the cause means beyond what the status shows of it: see sim/kubernetes/k8s_cause.cpp.
  void begin_cause(const std::string& cause) {
    const auto is_one_of = [&cause](std::initializer_list<std::string_view> words) {
      return std::find(words.begin(), words.end(), cause) != words.end();
    };
    const bool has_no_node = is_one_of({"unschedulable", "gated"});
    const bool is_pending = has_no_node || is_one_of({"image_pull", "mount_failed", "config_missing", "init_failing", "init_running"});
    now_.phase = is_pending ? "Pending" : cause == "node_refuses" ? "Failed" : "Running";
    now_.reason.clear();
    now_.message.clear();
    now_.waiting = cause == "unschedulable" ? "Unschedulable" : cause == "gated" ? "SchedulingGated" : "";
    now_.exit_code = 0;
    now_.is_ready = cause == "evicted";
    if (is_one_of({"crash_loop", "out_of_memory", "init_failing"})) now_.restarts = std::max(now_.restarts, 1);
    now_.cause = cause;
  }

  void merge_labels(const boost::json::object& patch) {
    for (const auto& [key, value] : patch) {
      labels_.erase(std::string(key));
      if (const boost::json::string* text = value.if_string()) labels_.insert_or_assign(std::string(key), std::string(text->c_str()));
    }
  }

  void push(Duration at) {
    now_.at = now_.changed = at;
    if (now_.is_seen && !now_.started) now_.started = at;
    KubeTexts labels = labels_;
    const boost::json::value* const metadata = raw_.if_contains("metadata");
    const boost::json::value* const more = metadata && metadata->is_object() ? metadata->get_object().if_contains("labels") : nullptr;
    if (more && more->is_object()) {
      labels_.swap(labels);
      merge_labels(more->get_object());
      labels_.swap(labels);
    }
    if (!now_.labels || *now_.labels != labels) now_.labels = std::make_shared<const KubeTexts>(std::move(labels));
    if (raw_.empty()) {
      now_.raw = nullptr;
    } else if (!now_.raw || *now_.raw != raw_) {
      now_.raw = std::make_shared<const boost::json::object>(raw_);
    }
    pod_.states.push_back(now_);
  }

  void remove(Duration at) {
    now_.is_gone = true;
    push(at);
    now_.is_gone = false;
    exists_ = false;
    gone_at_.reset();
  }

  KubePod& pod_;
  const KubeTexts& first_labels_;
  KubePodState now_;
  KubeTexts labels_;
  boost::json::object raw_;
  bool has_lived_ = false;
  bool exists_ = false;
  std::optional<Duration> gone_at_;
};

}  // namespace

std::optional<std::string> add_pod_states(KubePod& pod, const KubeTexts& labels, const KubeScript& script, Duration stagger) {
  const Duration created = script.created_at.value_or(Duration(0)) + stagger;
  const Duration running = created + script.running_after.value_or(Duration(0));
  const Duration ready = std::max(running, created + script.ready_after.value_or(Duration(0)));
  const bool is_scripted = (script.first.phase && *script.first.phase != "Running") || script.first.cause;
  if (is_scripted && ready > created) return "running_after and ready_after need a pod whose phase is Running";
  const auto has_both = [](const KubeChange& change) { return change.phase && change.cause; };
  if (has_both(script.first) || std::any_of(script.timeline.begin(), script.timeline.end(), has_both))
    return "cause: it decides the phase, leave phase out";
  if (!script.timeline.empty() && script.timeline.front().at < ready)
    return fmt::format("timeline: the first entry must not come before the pod is ready, at {} s",
                       std::chrono::duration<double>(ready).count());
  PodLife life(pod, labels);
  if (running > created) {
    life.start_slowly(created, script.first, running, ready);
  } else if (ready > created) {
    KubeChange first = script.first;
    first.ready = false;
    life.create(created, first);
    life.become_ready(ready);
  } else {
    life.create(created, script.first);
  }
  for (const KubeChange& change : script.timeline) life.change(change);
  life.finish_until(Duration::max());
  return std::nullopt;
}

}  // namespace rollcall::sim
