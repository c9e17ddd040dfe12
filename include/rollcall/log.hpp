// The library's activity as structured events. One sink per Runtime; without a sink there is no cost.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The kind of an event; `subject` and the others are members of Event.
enum class EventKind {
  call_started,         ///< subject = the call, such as "tpu:trainer cluster_spec"
  call_finished,        ///< failure set when it failed
  attempt_started,      ///< subject = method and URL without query
  attempt_finished,     ///< status, or failure
  phase_started,        ///< phase
  phase_finished,       ///< phase
  connection_reused,    ///< subject = host
  proxy_chosen,         ///< a new connection is made through a proxy; subject = its URL without credentials
  backing_off,          ///< delay, status or failure of the attempt, attempt = the one that failed
  waiting_for_slot,     ///< too many requests in flight to the host
  token_refresh_started,
  token_refresh_finished,  ///< failure set when it failed
  place_chosen,         ///< subject = the choice of a resolver such as `auto:`, and the reason
  value_disputed,       ///< subject = values that contradict each other, although the call goes on
  security_warning,     ///< subject = a security risk, such as a server that is not verified; the call goes on
  member_resolved,      ///< subject = a child's target; of unions and fan-outs
  member_failed,        ///< subject, failure
  omitted,              ///< subject, failure = a missing part of an answer, which was allowed; the call goes on
  member_waiting,       ///< subject = a member, text = why it is not ready; at every change
  member_ready,         ///< subject = a member that is ready now
  server_chosen,        ///< subject = the fleet server that is used from now on
  server_left,          ///< subject = a fleet server that does not answer any more, or moves its clients; failure set if it failed
};
std::string_view to_string(EventKind kind) noexcept;

/// Members of one job, from index `first` to `last`.
class MemberRange {
 public:
  MemberRange() {}
  MemberRange(std::string_view of, int from, int to) : job(of), first(from), last(to) {}
  std::string_view job;
  int first = 0;
  int last = 0;
};

/// One event. Views and pointers are valid only during the call.
struct Event {
  EventKind kind = EventKind::call_started;
  SteadyTime at{};
  std::uint64_t call = 0;      ///< number of the public call within its Runtime, from 1
  std::uint64_t exchange = 0;  ///< number of the request within its Runtime, from 1; 0 when not about one
  int attempt = 0;             ///< from 1
  int status = 0;              ///< HTTP status
  Phase phase = Phase::none;
  Duration delay{0};
  bool is_server_delay = false;  ///< the delay follows the server's hint (Retry-After, RetryInfo)
  std::string_view subject;
  std::string_view text = {};    ///< why, of member_waiting
  const Failure* failure = nullptr;
  std::string_view operation = {};  ///< of calls: the last word of subject, such as `cluster_spec`
  std::string_view source = {};  ///< of the calls by which a service follows its sources: the source's name, such as `tpu/PROJECT/ZONE`
  std::string_view host = {};  ///< of attempts: the host that is asked, with its port unless it is the usual one
  MemberRange members = {};  ///< of member_waiting and member_ready: those that subject names
};

/// Receives events: implemented by the user. Pass it as RuntimeOptions::log.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// Called on the Runtime's executor. Must return quickly.
  virtual void on_event(const Event& event) noexcept = 0;
  /// False: the sink ignores begin and end events of calls, of their attempts and of the phases of those, and the events about the choice
  /// of a connection or proxy; the library then does not build them. Read when a call begins, and when an attempt does.
  virtual bool wants_requests() const noexcept { return true; }
};

}  // namespace rollcall
