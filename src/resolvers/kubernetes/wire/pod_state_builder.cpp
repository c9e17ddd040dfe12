#include "resolvers/kubernetes/wire/pod_state_builder.hpp"

#include <algorithm>
#include <limits>

#include "base/timestamp.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_word = 128;  // reasons, types, names
constexpr std::size_t max_message_text = 1024;
constexpr std::size_t max_conditions = 16;
constexpr std::size_t max_containers = 16;
constexpr std::size_t max_gates = 8;

void put(std::string& slot, std::string_view text, std::size_t most = max_word) { slot.assign(text.substr(0, most)); }

void add_gate(std::vector<std::string>& gates, std::string_view name) {
  if (gates.size() < max_gates) gates.emplace_back(name.substr(0, max_word));
}

// A container of which no trouble can come: an init container that is done, or one that runs and is ready.
bool is_well(const PodContainer& container) {
  if (container.state.kind == ContainerState::Kind::running) return container.is_ready;
  return container.is_init && container.state.kind == ContainerState::Kind::ended && container.state.exit_code == 0;
}

void clear(ContainerState& state) {
  state.kind = ContainerState::Kind::none;
  state.reason.clear();
  state.message.clear();
  state.exit_code = state.signal = 0;
  state.started.reset();
  state.finished.reset();
}

std::size_t size_of(const ContainerState& state) { return state.reason.capacity() + state.message.capacity(); }

}  // namespace

std::size_t memory_of(const PodState& state) {
  std::size_t bytes = sizeof(PodState) + 32 + state.reason.capacity() + state.message.capacity() + state.scheduler.capacity();
  for (const PodCondition& one : state.conditions)
    bytes += sizeof(PodCondition) + one.type.capacity() + one.reason.capacity() + one.message.capacity();
  for (const PodContainer& one : state.containers)
    bytes += sizeof(PodContainer) + one.name.capacity() + size_of(one.state) + size_of(one.last);
  for (const std::vector<std::string>* const gates : {&state.gates, &state.readiness_gates}) {
    for (const std::string& gate : *gates) bytes += sizeof(std::string) + gate.capacity();
  }
  return bytes;
}

void PodStateBuilder::keep_text(PodField field, std::string_view text) {
  switch (field) {
    case PodField::deletion:
      state_.is_leaving = !text.empty();
      state_.leaves_at = parse_rfc3339(text);
      break;
    case PodField::reason: put(state_.reason, text); break;
    case PodField::message: put(state_.message, text, max_message_text); break;
    case PodField::nominated_node: put(state_.nominated_node, text); break;
    case PodField::pod_restart_policy: put(state_.restart_policy, text); break;
    case PodField::scheduler: put(state_.scheduler, text); break;
    case PodField::gate: add_gate(state_.gates, text); break;
    case PodField::readiness_gate: add_gate(state_.readiness_gates, text); break;
    case PodField::asked_name: put(asked_name_, text); break;
    case PodField::condition_type: put(condition_.type, text); break;
    case PodField::condition_status: put(condition_.status, text); break;
    case PodField::condition_reason: put(condition_.reason, text); break;
    case PodField::condition_message: put(condition_.message, text, max_message_text); break;
    case PodField::condition_since: condition_.since = parse_rfc3339(text); break;
    case PodField::container_name: put(container_.name, text); break;
    case PodField::state_reason: put(part_->reason, text); break;
    case PodField::state_message: put(part_->message, text, max_message_text); break;
    case PodField::started_at: part_->started = parse_rfc3339(text); break;
    case PodField::finished_at: part_->finished = parse_rfc3339(text); break;
    default: break;
  }
}

void PodStateBuilder::keep_flag(PodField field, bool value) {
  if (field == PodField::container_ready) container_.is_ready = value;
  if (field == PodField::container_started) container_.is_started = value;
}

void PodStateBuilder::keep_number(PodField field, std::int64_t value) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const int number = static_cast<int>(std::clamp(value, -most, most));
  if (field == PodField::container_restarts) container_.restarts = number;
  if (field == PodField::grace) grace_ = std::chrono::seconds(number);
  if (field == PodField::exit_code) part_->exit_code = number;
  if (field == PodField::signal) part_->signal = number;
}

void PodStateBuilder::begin(PodField field) {
  switch (field) {
    case PodField::containers: is_init_ = false; break;
    case PodField::init_containers: is_init_ = true; break;
    case PodField::state: part_ = &container_.state; break;
    case PodField::last_state: part_ = &container_.last; break;
    case PodField::waiting: part_->kind = ContainerState::Kind::waiting; break;
    case PodField::running: part_->kind = ContainerState::Kind::running; break;
    case PodField::ended: part_->kind = ContainerState::Kind::ended; break;
    default: break;
  }
}

void PodStateBuilder::end_condition(Pod& pod) {
  const std::string_view type = condition_.type;  // a view is compared with a text of another length at once
  const bool is_true = std::string_view(condition_.status) == "True";
  if (type == "Ready") pod.is_ready = is_true;
  if (type == "PodReadyToStartContainers") {
    state_.has_sandbox = is_true;
    state_.sandbox_since = condition_.since;
  } else if (!is_true || type == "DisruptionTarget") {
    if (state_.conditions.size() < max_conditions) state_.conditions.push_back(condition_);
  } else if (type == "PodScheduled") {
    state_.scheduled = condition_.since;
  } else if (!state_.readiness_gates.empty()) {
    std::erase(state_.readiness_gates, condition_.type);
  }
  for (std::string* const text : {&condition_.type, &condition_.status, &condition_.reason, &condition_.message}) text->clear();
  condition_.since.reset();
}

void PodStateBuilder::end_container() {
  container_.is_init = is_init_;
  if (!is_init_) ++state_.main_containers;
  for (const ContainerState* const part : {&container_.state, &container_.last}) {
    if (part->finished && (!state_.last_end || *state_.last_end < *part->finished)) state_.last_end = part->finished;
  }
  if (!is_well(container_) && state_.containers.size() < max_containers) state_.containers.push_back(container_);
  container_.name.clear();
  container_.is_ready = false;
  container_.is_started = true;  // without a startup probe it may be absent
  container_.restarts = 0;
  clear(container_.state);
  clear(container_.last);
  part_ = &container_.state;
}

void PodStateBuilder::end_asked_container(bool is_sidecar) {
  if (is_sidecar && sidecars_.size() < max_containers) sidecars_.push_back(asked_name_);
  asked_name_.clear();
}

void PodStateBuilder::finish(Pod& pod, bool is_detailed) {
  const bool is_well = pod.phase == "Running" && !pod.is_leaving && (!is_detailed || (pod.is_ready && state_.conditions.empty()));
  if (state_.leaves_at && grace_) state_.leaving_since = *state_.leaves_at - *grace_;
  grace_.reset();
  if (!is_well) {
    for (PodContainer& one : state_.containers)
      one.is_sidecar = one.is_init && std::find(sidecars_.begin(), sidecars_.end(), one.name) != sidecars_.end();
    pod.state.emplace(std::move(state_));
    state_ = PodState();
  } else {
    for (std::string* const text : {&state_.reason, &state_.message, &state_.restart_policy, &state_.scheduler, &state_.nominated_node})
      text->clear();
    state_.conditions.clear();
    state_.containers.clear();
    state_.gates.clear();
    state_.readiness_gates.clear();
    state_.main_containers = 0;
    state_.last_end.reset();
    state_.scheduled.reset();
    state_.has_sandbox.reset();
    state_.sandbox_since.reset();
    state_.is_leaving = false;
    state_.leaves_at.reset();
    state_.leaving_since.reset();
  }
  sidecars_.clear();
}

}  // namespace rollcall
