// How one attempt of a request ended, as far as another attempt is concerned. Pure.
#pragma once

#include <optional>
#include <string>

#include "call/api_client.hpp"
#include "call/token_mask.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

// A class with a constructor: it is returned into coroutines.
class Outcome {
 public:
  Outcome() {}
  AttemptClass attempt_class = AttemptClass::success;
  std::optional<Failure> failure;  ///< unless success
  std::optional<Duration> hint;    ///< the pause that the server asked for
  bool is_connect_failure = false;
  /// For sure the request was not carried out: it never left, or the server says that it turned it away.
  bool is_unprocessed = false;
};

/// `mask` hides the token that the request was sent with.
Outcome outcome_of(const ApiRequest& request, const TokenMask& mask, const Result<HttpResponse>& answer, const TimeSource& time);

/// Where the metadata server redirects a request for a directory that lacks its slash: a path of its own [facts: metadata-directory].
std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer);

}  // namespace rollcall
