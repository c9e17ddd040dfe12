// Following without being told of changes: clusters, by asking again and again, which every resolver can do; and this machine, by asking
// its metadata server what it announces.
#pragma once

#include <vector>

#include "call/call_scope.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// True for what may pass by itself, so that another look makes sense: what is transient, and a look that ran into its own deadline,
/// since the call that looks again and again has more time than one look.
bool is_worth_another_look(const Failure& failure) noexcept;

/// True for an answer that nobody can make sense of: it may be a proxy's page that is gone the next time.
bool is_malformed(const Failure& failure) noexcept;
/// With so many of them in a row there is no hope left.
constexpr int most_senseless = 5;

/// Options for one of the questions of a long call: 30 s at most, not past the call's deadline; no retries but those that the caller
/// asked for.
CallOptions question_options(const Call& call);

/// A cluster that is asked for, and where the answers go. Both outlive the following.
class Polled {
 public:
  Polled(ClusterResolver& cluster, StatusObserver& to) : resolver(&cluster), feed(&to) {}
  ClusterResolver* resolver;
  StatusObserver* feed;
  ClusterStatus last;
  int senseless = 0;  ///< answers in a row that made no sense
};

/// One look, of the kind that follow_by_polling() goes on making, and its answer reported. Errors: those that end following.
asio::awaitable<Result<void>> look_once(Call& call, Polled& cluster);

/// Asks for all of them at once, in one call, so that four and more TPUs of one zone share its list; then again by PollPace. Reports every
/// answer. Ends only with a failure: one that does not pass, or most_senseless answers in a row that make no sense.
asio::awaitable<Result<void>> follow_by_polling(Call& call, std::vector<Polled> clusters);

/// Waits at the metadata server (wait_for_change) for `instance/preempted` and `instance/maintenance-event`, each by a long poll of its
/// own, and reports what they say. Ends without a failure where there is no metadata server; otherwise only when cancelled.
/// [facts: metadata-wait, metadata-notices]
asio::awaitable<Result<void>> follow_machine_notices(Call& call, StatusObserver& feed);

}  // namespace rollcall
