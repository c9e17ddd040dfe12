#include "resolvers/queued/queued_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "resolvers/queued/queued_spec.hpp"
#include "resolvers/tpu/tpu_status.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/rpc.hpp"

namespace rollcall {
namespace {

class StateInWords {
 public:
  std::string_view state;
  std::string_view meaning;
  std::string_view advice;
};

// A failed or suspended request remains, and counts against the quota, until the user deletes it [facts: queued-quota].
constexpr std::string_view delete_it = "it keeps its share of the quota until you delete it: gcloud compute tpus queued-resources delete";
constexpr std::string_view wait_for_it = "rollcall wait (wait_until_ready) waits for it";

constexpr std::array<StateInWords, 8> states_in_words = {{
    {"CREATING", "the service is looking at the request", wait_for_it},
    {"ACCEPTED", "the request is accepted and waits its turn", "it may wait for hours or days; its nodes do not exist yet"},
    {"WAITING_FOR_RESOURCES", "it is queued for capacity", "it may wait for hours or days; its nodes do not exist yet"},
    {"PROVISIONING", "capacity was found and its nodes are being made", wait_for_it},
    {"FAILED", "it failed and will not be tried again", delete_it},
    {"SUSPENDING", "its nodes are going", "they are lost"},
    {"SUSPENDED", "its nodes are gone", delete_it},
    {"DELETING", "it is being deleted with its nodes", "ask for another one"},
}};

const StateInWords* find_words(std::string_view state) {
  for (const StateInWords& words : states_in_words) {
    if (words.state == state) return &words;
  }
  return nullptr;
}

bool is_stateless(const QueuedResource& request) { return request.state.empty() || request.state == "STATE_UNSPECIFIED"; }

std::string error_of(const QueuedResource& request) {
  if (request.error_message.empty() && request.error_code == 0) return {};
  const bool is_known = request.error_code >= 0 && request.error_code <= static_cast<std::int64_t>(RpcStatus::unauthenticated);
  std::string kind = is_known ? to_string(static_cast<RpcStatus>(request.error_code)) : fmt::format("code {}", request.error_code);
  if (!request.error_reason.empty()) kind += ", " + printable(request.error_reason, 64);
  const std::string message = request.error_message.empty() ? "no message" : printable(request.error_message, 300);
  return fmt::format(": {} ({})", message, kind);
}

std::string initiator_of(const QueuedResource& request) {
  if (request.state_initiator.empty() || request.state_initiator == "STATE_INITIATOR_UNSPECIFIED") return {};
  const bool is_going = request.state == "SUSPENDING" || request.state == "SUSPENDED";
  if (request.state_initiator == "SERVICE") return is_going ? ", by the service: it was preempted" : ", by the service";
  if (request.state_initiator == "USER") return ", by a user";
  return ", by " + printable(request.state_initiator, 64);
}

MemberState member_state_of_request(std::string_view state) {
  if (state == "ACTIVE") return MemberState::ready;
  if (state == "FAILED" || state == "SUSPENDING" || state == "SUSPENDED" || state == "DELETING") return MemberState::lost;
  return MemberState::waiting;  // queued, being created, or an unknown state
}

ClusterPhase phase_of_request(std::string_view state) {
  if (state == "ACTIVE") return ClusterPhase::running;
  return state == "PROVISIONING" ? ClusterPhase::provisioning : ClusterPhase::queued;
}

// The number of workers of each requested node; 0 if not known.
int hosts_of(const QueuedResource::NodeSpec& spec) {
  const Result<AcceleratorType> type = AcceleratorType::parse(spec.accelerator_type);
  return type ? type->hosts() : 0;
}

std::vector<int> hosts_by_slice(const QueuedResource& request) {
  std::vector<int> hosts;
  for (const QueuedResource::NodeSpec& spec : request.node_specs) {
    hosts.insert(hosts.end(), spec.is_multislice ? static_cast<std::size_t>(spec.count) : 1, hosts_of(spec));
  }
  return hosts;
}

// A request for more members is not listed member by member.
constexpr int max_absent = 65536;

// The workers of a node that does not exist, at most `room`.
ClusterStatus status_of_absent(const FoundSlice& slice, const std::string& job, int hosts, int room, const Condition& state) {
  ClusterStatus status;
  status.phase = ClusterPhase::provisioning;
  status.expected = hosts;
  for (int i = 0; i < std::clamp(hosts, 1, std::max(room, 1)); ++i) {
    Member& member = status.members.emplace_back(job, i);
    member.name = printable(slice.id, 128);
    member.state = state;
  }
  return status;
}

Condition absence(const FoundSlice& slice, const QueuedResource& request) {
  const bool was_active = request.state == "ACTIVE";
  if (!was_active && request.state != "PROVISIONING") return Condition(MemberState::waiting, printable(request.state, 64));
  if (slice.problem.code() != Errc::not_found) return Condition(MemberState::waiting, slice.problem.what());
  return was_active ? Condition(MemberState::lost, "its TPU does not exist any more")
                    : Condition(MemberState::waiting, "its TPU does not exist yet");
}

}  // namespace

std::string queued_name(std::string_view name) { return "queued resource " + quoted(name, 80); }

std::string describe_queued(const QueuedResource& request) {
  if (is_stateless(request)) return "the API gives no state";
  const StateInWords* const words = find_words(request.state);
  if (!words) return printable(request.state, 64) + ", which is none that is known";
  std::string text = fmt::format("{} ({}{}){}", request.state, words->meaning, initiator_of(request), error_of(request));
  if (words->advice == delete_it) text += "; it keeps its share of the quota until it is deleted";
  return text;
}

Failure explain_queued(std::string_view name, const QueuedResource& request) {
  std::string what = queued_name(name) + " is not ready: ";
  if (is_stateless(request)) return Failure(Errc::not_ready, what + "the API gives no state").with_hint(std::string(wait_for_it));
  what += "its state is ";
  const StateInWords* const words = find_words(request.state);
  if (!words) {
    return Failure(Errc::not_ready, what + printable(request.state, 64) + ", which is none that is known")
        .with_hint(std::string(wait_for_it));
  }
  what += fmt::format("{} ({}{}){}", request.state, words->meaning, initiator_of(request), error_of(request));
  return Failure(Errc::not_ready, std::move(what)).with_hint(std::string(words->advice));
}

ClusterStatus queued_status(std::string_view name, const QueuedResource& request) {
  ClusterStatus status;
  status.phase = phase_of_request(request.state);
  const MemberState level = member_state_of_request(request.state);
  status.state = Condition(level, level == MemberState::ready ? request.state : describe_queued(request));
  if (level != MemberState::lost && level != MemberState::ready)
    status.state.text = fmt::format("{}: {}", queued_name(name), status.state.text);
  for (const int hosts : hosts_by_slice(request)) status.expected += hosts;
  if (!request.node_specs.empty()) {
    const std::string& name_of_type = request.node_specs.front().accelerator_type;
    const Result<AcceleratorType> type = AcceleratorType::parse(name_of_type);
    status.accelerator_type = type ? type->name() : printable(name_of_type, 64);
  }
  return status;
}

ClusterStatus queued_status(std::string_view name, const QueuedResource& request, std::vector<FoundSlice> slices, const std::string& job,
                            SliceJobs jobs) {
  ClusterStatus status = queued_status(name, request);
  if (status.state.level == MemberState::lost) return status;
  if (slices.empty()) {
    for (std::string& id : node_ids(request)) slices.emplace_back().id = std::move(id);
  }
  const std::vector<int> hosts = hosts_by_slice(request);
  status.expected = 0;
  bool is_number_known = true;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const FoundSlice& slice = slices[i];
    const std::string slice_name = jobs == SliceJobs::each ? slice_job(job, i) : job;
    const int size = i < hosts.size() ? hosts[i] : 0;
    const int room = max_absent - static_cast<int>(status.members.size());
    const ClusterStatus part = slice.node ? tpu_status(slice.id, *slice.node, slice_name)
                                          : status_of_absent(slice, slice_name, size, room, absence(slice, request));
    status.phase = std::min(status.phase, part.phase);
    is_number_known = is_number_known && part.expected > 0;
    status.expected += std::max(part.expected, static_cast<int>(part.members.size()));
    const int offset = jobs == SliceJobs::each ? 0 : static_cast<int>(status.members.size());
    for (const Member& member : part.members) {
      status.members.push_back(member);
      status.members.back().index += offset;
    }
  }
  if (!is_number_known) status.expected = 0;
  mark_duplicate_addresses(status.members);
  return status;
}

}  // namespace rollcall
