// TensorFlow's MasterService and WorkerService, limited to the methods for devices.
#include <fmt/format.h>

#include <algorithm>

#include "sim/wire/encoding.hpp"
#include "sim/workers/workers.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view get_status = "/tensorflow.WorkerService/GetStatus";
constexpr std::string_view close_session = "/tensorflow.MasterService/CloseSession";
constexpr std::string_view garbage = "\x0a\xff\xff\xff\xff\xff, which is no protobuf";

RpcAnswer answer_of(std::string message) {
  RpcAnswer out;
  out.message = std::move(message);
  return out;
}

// Source: tensorflow/core/distributed_runtime/master.cc.
RpcAnswer no_session(RpcStatus status, std::string_view handle) {
  return RpcAnswer(status, fmt::format("Session {} is not found. Possibly, this master has restarted.", handle));
}

// The script's effect on a call.
struct ScriptEffect {
  bool is_stalled = false;
  Duration delay{0};
  std::optional<RpcAnswer> scripted;
};

class RpcCall {
 public:
  RpcCall(const Context& context, const RpcRequest& request, SteadyTime now, const WorkerPlace& place, bool& has_changed)
      : context_(context), request_(request), now_(now), cluster_(cluster_for(context.model, request, place, context.now)),
        has_changed_(has_changed) {}

  RpcReply answer(const std::optional<RpcHeld>& earlier) {
    if (!worker_.moment) return RpcReply(earlier ? RpcEnd::reset : RpcEnd::refuse);
    if (earlier && earlier->running_since != worker_.running_since) return RpcReply(RpcEnd::reset);
    const RpcHeld held = earlier ? *earlier : arrive();
    if (held.is_stalled) return hold(held, SteadyTime::max());
    if (now_ < held.ready_at) return hold(held, held.ready_at);
    if (held.scripted) return RpcReply(*held.scripted);
    if (cluster_.refusal) return RpcReply(*cluster_.refusal);
    if (!asks_others()) return RpcReply(own_answer());
    if (!is_complete()) return hold(held, next_of_others());
    return RpcReply(common_answer());
  }

 private:
  SteadyTime steady(std::optional<Duration> since_start) const {
    return since_start ? now_ + (*since_start - context_.now) : SteadyTime::max();
  }

  RpcReply hold(const RpcHeld& held, SteadyTime when) const {
    RpcReply out;
    out.hold = held;
    out.hold->ask_again = std::min(when, steady(worker_.next_change));
    return out;
  }

  // Only calls that end use up `times`.
  ScriptEffect effect_at(const WorkerNow& worker, bool uses_up) const {
    const WorkerMoment& moment = *worker.moment;
    ScriptEffect out;
    if (moment.times) {
      std::uint64_t& used = context_.state.worker_fault_uses[{worker.address.to_text(), &moment}];
      if (used >= *moment.times) return out;
      if (uses_up && ++used == *moment.times) has_changed_ = true;
    }
    out.is_stalled = moment.fault == WorkerFault::stall;
    out.delay = moment.delay;
    if (moment.status != RpcStatus::ok) out.scripted = RpcAnswer(moment.status, moment.message);
    if (moment.fault == WorkerFault::garbage) out.scripted = answer_of(std::string(garbage));
    return out;
  }

  RpcHeld arrive() {
    std::erase_if(context_.state.sessions, [this](const auto& entry) {  // sessions from before a restart
      return entry.second.address == worker_.address.to_text() && entry.second.running_since != worker_.running_since;
    });
    ScriptEffect effect = effect_at(worker_, true);
    if (asks_others()) {
      for (const WorkerNow& other : others_) {
        if (other.moment) effect.delay = std::max(effect.delay, effect_at(other, false).delay);
      }
    }
    RpcHeld out;
    out.running_since = worker_.running_since;
    out.ready_at = now_ + effect.delay;
    out.is_stalled = effect.is_stalled;
    out.scripted = std::move(effect.scripted);
    return out;
  }

  // A session has its devices from its creation on.
  bool asks_others() const {
    return request_.method == create_session_method || (request_.method == list_devices_method && bytes_field(request_.message, 1) == "");
  }

  // A master asks its workers without a time limit: a missing worker holds the answer.
  bool is_complete() const {
    return std::all_of(others_.begin(), others_.end(),
                       [this](const WorkerNow& other) { return other.moment && !effect_at(other, false).is_stalled; });
  }

  SteadyTime next_of_others() const {
    SteadyTime out = SteadyTime::max();
    for (const WorkerNow& other : others_) out = std::min(out, steady(other.next_change));
    return out;
  }

  RpcAnswer common_answer() {
    std::optional<RpcAnswer> failed;
    for (const WorkerNow& other : others_) {
      const ScriptEffect effect = effect_at(other, true);
      if (!effect.scripted || failed) continue;
      failed =
          effect.scripted->status == RpcStatus::ok ? RpcAnswer(RpcStatus::internal, "a worker's answer is no protobuf") : *effect.scripted;
    }
    if (failed) return *failed;
    if (request_.method == list_devices_method) return answer_of(devices(2));
    RpcSession session;
    session.address = worker_.address.to_text();
    session.running_since = worker_.running_since;
    session.devices = devices(cluster_.is_given ? 2 : 1);
    const std::string handle = fingerprint(fmt::format("{}#{}", session.address, ++context_.state.sessions_made));
    context_.state.sessions.emplace(handle, std::move(session));
    return answer_of(session_message(handle));
  }

  // The others' devices are elements of `field`. In a session with a given cluster the own CPU is the only local device.
  std::string devices(int field) const {
    std::string out = device_list(worker_, cluster_.is_given ? 2 : 1, 1);
    for (const WorkerNow& other : others_) out += device_list(other, field);
    return out;
  }

  RpcAnswer own_answer() {
    if (request_.method == get_status) return answer_of(device_list(worker_, 1));
    const bool closes = request_.method == close_session;
    if (!closes && request_.method != list_devices_method) return RpcAnswer(RpcStatus::unimplemented, "");
    const auto handle = bytes_field(request_.message, 1);
    if (!handle) return RpcAnswer(RpcStatus::internal, "the request is no protobuf");
    const auto session = context_.state.sessions.find(*handle);
    if (session == context_.state.sessions.end() || session->second.address != worker_.address.to_text()) {
      return no_session(closes ? RpcStatus::aborted : RpcStatus::invalid_argument, *handle);
    }
    if (!closes) return answer_of(session->second.devices);
    context_.state.sessions.erase(session);
    return answer_of("");
  }

  const Context& context_;
  const RpcRequest& request_;
  SteadyTime now_;
  RpcCluster cluster_;
  const WorkerNow& worker_ = cluster_.own;
  const std::vector<WorkerNow>& others_ = cluster_.others;
  bool& has_changed_;
};

}  // namespace

std::string rpc_route(std::string_view method) {
  constexpr std::string_view package = "/tensorflow.";
  if (method.starts_with(package)) method.remove_prefix(package.size());
  return fmt::format("rpc {}", method);
}

RpcReply answer_rpc(const Context& context, const RpcRequest& request, SteadyTime now, const WorkerPlace& place,
                    const std::optional<RpcHeld>& held, bool& has_changed) {
  return RpcCall(context, request, now, place, has_changed).answer(held);
}

}  // namespace rollcall::sim
