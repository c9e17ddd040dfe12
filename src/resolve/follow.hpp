// Following a cluster by asking again and again: what every resolver does that nobody tells of changes.
#pragma once

#include "async/call_scope.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/status_feed.hpp"

namespace rollcall {

/// True for what may pass by itself, so that asking again makes sense: no connection, time-outs, 5xx, 429.
bool may_pass(const Failure& failure) noexcept;

/// Options for one of the questions of a long call: 30 s at most, not past the call's deadline; no retries but those that the caller
/// asked for.
CallOptions question_options(const Call& call);

/// One question, as a call of its own within `call`.
asio::awaitable<Result<ClusterStatus>> ask_status(Call& call, ClusterResolver& resolver);

/// Asks at once, then by PollPace, and reports every answer. Ends only with a failure: one that does not pass, or an answer that
/// makes no sense five times in a row.
asio::awaitable<Result<void>> follow_by_polling(Call& call, ClusterResolver& resolver, StatusFeed& feed);

}  // namespace rollcall
