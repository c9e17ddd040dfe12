#include "conformance/grpc_script.hpp"

#include <algorithm>

#include "conformance/device_wire.hpp"

namespace rollcall::conformance {
namespace {

constexpr const char* service = "/tensorflow.MasterService/";

RpcAnswer ok(std::string message) {
  RpcAnswer answer;
  answer.message = std::move(message);
  return answer;
}

}  // namespace

bool GrpcScript::knows(const std::string& target) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const GrpcEntry& entry) { return entry.target == target; });
}

const GrpcEntry* GrpcScript::begin_attempt(const std::string& target) {
  ++attempts_[target];
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].target != target || (entries_[i].times && used_[i] >= *entries_[i].times)) continue;
    ++used_[i];
    return &entries_[i];
  }
  return nullptr;
}

GrpcScript::Pick GrpcScript::take(const std::string& target, const std::string& method, const std::string& message) {
  Pick pick;
  const std::string handle = read_text_field(message);
  const bool is_list = method == std::string(service) + "ListDevices";
  const bool is_create = method == std::string(service) + "CreateSession";
  if (is_create || (is_list && handle.empty())) {
    const GrpcEntry* const entry = begin_attempt(target);
    if (!entry) {
      pick.answer = RpcAnswer(RpcStatus::unavailable, "the case has no more answers for this target");
      return pick;
    }
    pick.delay = entry->delay;
    if (entry->status != RpcStatus::ok) {
      pick.answer = RpcAnswer(entry->status, "as the case says");
    } else if (is_create) {
      const std::string made = "session-" + std::to_string(sessions_.size());
      sessions_[made] = entry;
      pick.answer = ok(write_text_field(made));
    } else {
      pick.answer = ok(write_device_lists(entry->local, entry->remote));
    }
  } else if (is_list) {
    const auto session = sessions_.find(handle);
    pick.answer = session == sessions_.end() ? RpcAnswer(RpcStatus::invalid_argument, "Session " + handle + " is not found.")
                                             : ok(write_device_lists(session->second->local, session->second->remote));
  } else if (method == std::string(service) + "CloseSession") {
    pick.answer = ok("");
  } else {
    pick.answer = RpcAnswer(RpcStatus::unimplemented, "");
  }
  return pick;
}

std::int64_t GrpcScript::attempts(const std::string& target) const {
  const auto found = attempts_.find(target);
  return found == attempts_.end() ? 0 : found->second;
}

}  // namespace rollcall::conformance
