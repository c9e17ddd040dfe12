#include "resolvers/kubernetes/claim_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/page_cursor.hpp"
#include "base/url.hpp"
#include "call/call_scope.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/follow.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"

namespace rollcall {
namespace {

constexpr std::string_view claim_group = "apis/resource.k8s.io";

std::string claims_in_words(const PodScope& scope) { return "resource claims " + of_namespace(scope.namespace_name); }

asio::awaitable<Result<std::string>> ask_claim_version(Call& call, const PodScope& scope) {
  ApiRequest request = kubernetes_request(scope.server, std::string(claim_group), claims_in_words(scope));
  const Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) co_return response.error();
  co_return choose_claim_version(response->body, parse_limits(impl_of(call)));
}

std::string claims_path(const PodScope& scope, const std::string& version, const std::string& page) {
  std::string path = fmt::format("{}/{}/", claim_group, version);
  if (!scope.namespace_name.empty()) path += fmt::format("namespaces/{}/", percent_encode_path_segment(scope.namespace_name));
  path += "resourceclaims?limit=250";  // a page of them is read as a whole
  if (!page.empty()) path += "&continue=" + percent_encode_path_segment(page);
  return path;
}

}  // namespace

asio::awaitable<Result<ClaimBook>> list_claims(Call& call, const PodScope& scope, const ClaimNeeds& needs) {
  constexpr std::string_view rules = "rules: [{apiGroups: [resource.k8s.io], resources: [resourceclaims], verbs: [list]}]";
  const Result<std::string> version = co_await ask_claim_version(call, scope);
  if (!version) co_return explained_refusal(version.error(), scope, "get the API group resource.k8s.io, list resourceclaims", rules);
  ClaimBook book;
  PageCursor cursor(claims_in_words(scope), impl_of(call).limits.max_pages);
  for (;;) {
    ApiRequest request = kubernetes_request(scope.server, claims_path(scope, *version, cursor.token()), claims_in_words(scope));
    const Result<HttpResponse> response = co_await api_send(call, request);
    if (!response) co_return explained_refusal(response.error(), scope, "list resourceclaims", rules);
    Result<ResourceClaimPage> page = parse_resource_claims(response->body, parse_limits(impl_of(call)));
    const Result<bool> goes_on = page ? cursor.advance(page->next_page) : Result<bool>(page.error());
    if (!goes_on) co_return goes_on.error().with_target(request.http.url.without_query());
    for (ResourceClaim& claim : page->claims) {
      const ClaimKey key(claim.namespace_name, claim.name);
      if (needs.contains(key)) book.add(std::move(claim));
    }
    if (!*goes_on) co_return book;
  }
}

void note_unknown_claims(Call& call, const PodScope& scope, const Failure& failure) {
  Failure declared = failure;
  declared.with_what("the accelerators of pods with resource claims: " + failure.what());
  const std::string subject = pods_request(scope, std::string()).what;
  impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = subject, .failure = &declared});
}

asio::awaitable<void> KnownClaims::refresh(const std::vector<PodPointers>& pods) {
  ClaimNeeds needs(pods);
  const bool is_early = !needs.is_placed() && !listed_.empty();
  if (is_refused_ || is_early || needs.is_part_of(listed_)) co_return;
  auto script = [this, &needs](Call& inner) { return list_claims(inner, scope_, needs); };
  CallOptions options = question_options(call_);
  Result<ClaimBook> book = co_await run_call<ClaimBook>(impl_of(call_).shared_from_this(), std::move(options),
                                                        CallSubject("list of " + claims_in_words(scope_)), std::move(script));
  if (book) {
    book_ = *std::move(book);
    listed_ = std::move(needs);
    co_return;
  }
  if (book.error().code() == Errc::cancelled) co_return;
  is_refused_ = outlook_of(book.error()) == Outlook::lasts;
  note_unknown_claims(call_, scope_, book.error());
}

}  // namespace rollcall
