// Asks the API server for the resource claims of pods.
#pragma once

#include <asio/awaitable.hpp>

#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/rules/claim_book.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// The claims that `needs` names, by one request for the versions of the API and one list. The arguments must outlive the await. Errors: as
/// api_send, and malformed_response, limit_exceeded, unimplemented.
asio::awaitable<Result<ClaimBook>> list_claims(Call& call, const PodScope& scope, const ClaimNeeds& needs);

/// Reports that the accelerators of pods with claims are not known, and why.
void note_unknown_claims(Call& call, const PodScope& scope, const Failure& failure);

/// The claims of pods that are followed: listed again when pods with claims have come, or have got a machine.
class KnownClaims {
 public:
  /// The arguments must outlive it.
  KnownClaims(Call& call, const PodScope& scope) : call_(call), scope_(scope) {}

  /// Lists the claims if those of `pods` are not known yet. While pods still wait for a machine this happens once, so that pods that start
  /// one after the other need one more list. Once the server refuses, it is not asked again. A failure is reported as an event.
  asio::awaitable<void> refresh(const std::vector<PodPointers>& pods);
  const ClaimBook& book() const noexcept { return book_; }

 private:
  Call& call_;
  const PodScope& scope_;
  ClaimBook book_;
  ClaimNeeds listed_;
  bool is_refused_ = false;
};

}  // namespace rollcall
