#include "resolvers/queued/queued_state.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace rollcall {
namespace {

class StateInWords {
 public:
  std::string_view state;
  std::string_view meaning;
  std::string_view advice;
};

// A failed or suspended request stays, and counts against the quota, until the user deletes it [facts: queued-quota].
constexpr std::string_view delete_it = "it keeps its share of the quota until you delete it: gcloud compute tpus queued-resources delete";

constexpr std::array<StateInWords, 8> states_in_words = {{
    {"CREATING", "the service is looking at the request", "try again in a minute"},
    {"ACCEPTED", "the request is accepted and waits its turn", "it may wait for hours or days; its nodes do not exist yet"},
    {"WAITING_FOR_RESOURCES", "it is queued for capacity", "it may wait for hours or days; its nodes do not exist yet"},
    {"PROVISIONING", "capacity was found and its nodes are being made", "that takes minutes: try again in one"},
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

// google.rpc.Code.
std::string_view rpc_code_of(std::int64_t code) {
  static constexpr std::array<std::string_view, 17> names = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<std::int64_t>(names.size()) ? names[static_cast<std::size_t>(code)] : "";
}

std::string error_of(const QueuedResource& request) {
  if (request.error_message.empty() && request.error_code == 0) return {};
  std::string kind(rpc_code_of(request.error_code));
  if (kind.empty()) kind = fmt::format("code {}", request.error_code);
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
  if (is_stateless(request)) return Failure(Errc::not_ready, what + "the API gives no state").with_hint("try again in a minute");
  what += "its state is ";
  const StateInWords* const words = find_words(request.state);
  if (!words) {
    return Failure(Errc::not_ready, what + printable(request.state, 64) + ", which is none that is known")
        .with_hint("try again in a minute");
  }
  what += fmt::format("{} ({}{}){}", request.state, words->meaning, initiator_of(request), error_of(request));
  return Failure(Errc::not_ready, std::move(what)).with_hint(std::string(words->advice));
}

}  // namespace rollcall
