#include "call/refusals.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/google_access.hpp"
#include "call/rules/place_form.hpp"
#include "call/rules/token_end.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/certificate.hpp"

namespace rollcall {
namespace {

constexpr int unauthorized_status = 401;
constexpr int forbidden_status = 403;
constexpr std::string_view anonymous = "system:anonymous";  // the user name that Kubernetes gives to unauthenticated requests

// The client certificate of an attempt.
class PresentedCertificate {
 public:
  PresentedCertificate() {}
  bool is_there = false;
  std::string from;
  CertificateFacts facts;
  std::string fault;  // fault of its dates; empty: none
};

PresentedCertificate presented_certificate(const ApiRequest& request, WallTime now) {
  PresentedCertificate presented;
  const ServerAccess* const access = request.http.access.get();
  if (!access || access->certificate.empty()) return presented;
  const Result<CertificateFacts> facts = read_certificate(access->certificate);
  if (!facts) return presented;  // the handshake has reported it
  presented.is_there = true;
  presented.from = access->identity_from.empty() ? std::string("the client certificate") : access->identity_from;
  presented.facts = *facts;
  presented.fault = date_fault(*facts, now);
  return presented;
}

// The certificate of the options, if it is not valid now: whether a server has requested it is not known.
PresentedCertificate ended_own_certificate(Runtime::Impl& impl) {
  const std::string& path = own_certificate_file(impl);
  constexpr std::size_t max_bytes = 1 << 20;
  if (path.empty()) return PresentedCertificate();
  Result<std::string> text = impl.files->read(path, max_bytes);
  if (!text) return PresentedCertificate();
  const Result<CertificateFacts> facts = read_certificate(*text);
  wipe(text->data(), text->size());  // the text may contain the key
  if (!facts) return PresentedCertificate();
  PresentedCertificate presented;
  presented.fault = date_fault(*facts, impl.time->wall_now());
  presented.is_there = !presented.fault.empty();
  presented.from = fmt::format("the client certificate {}", quoted_path(path));
  presented.facts = *facts;
  return presented;
}

std::string token_hint(Call& call, const ApiRequest& request, const AccessToken& sent, WallTime now) {
  const Credentials& credentials = request.credentials ? *request.credentials : *impl_of(call).credentials;
  const std::string from = credentials.describe();
  const std::optional<WallTime> end = sent.expires_at ? sent.expires_at : token_end(sent.value.reveal());
  if (end && *end <= now)
    return fmt::format("The token ended on {}: get a new one, unless this machine's clock is wrong; it came from {}", format_rfc3339(*end),
                       from);
  if (request.service->refused_token_hint) return request.service->refused_token_hint(from);
  return fmt::format("The access token is missing, expired or not meant for this service: get a new one; it came from {}", from);
}

std::string certificate_hint(const PresentedCertificate& presented) {
  return fmt::format(
      "The server does not take {}, which is of '{}', issued by '{}' and good until {}: it must be issued by an authority that "
      "the server trusts for its clients",
      presented.from, presented.facts.name, presented.facts.issuer, format_rfc3339(presented.facts.ends));
}

// True for statuses that another identical request would get, too.
bool is_refusal(int status) {
  constexpr int request_timeout = 408;
  constexpr int too_many_requests = 429;
  return status >= 400 && status < 500 && status != request_timeout && status != too_many_requests;
}

// A server that ends the connection because it needs another certificate does so during the handshake, or at the first byte after it.
bool may_be_about_certificate(const Failure& failure) {
  const int status = failure.last_status();
  if (status != 0) return status == unauthorized_status || status == forbidden_status;
  const bool is_broken = failure.code() == Errc::unreachable && (failure.phase() == Phase::handshake || failure.phase() == Phase::response);
  return failure.code() == Errc::tls_failed || is_broken;
}

void explain_unauthorized(Call& call, const ApiRequest& request, const AccessToken& sent, const PresentedCertificate& presented,
                          Failure& failure) {
  const bool has_token = !sent.value.empty();
  constexpr std::string_view disabled_account = "(ACCOUNT_STATE_INVALID)";  // of Google's ErrorInfo: a new token is refused as well
  if (has_token && failure.what().find(disabled_account) != std::string::npos) {
    const Credentials& credentials = request.credentials ? *request.credentials : *impl_of(call).credentials;
    failure.with_hint(fmt::format("The account is disabled or deleted: enable it, or sign in as another; its token came from {}",
                                  credentials.describe()));
  } else if (has_token) {
    failure.with_hint(token_hint(call, request, sent, impl_of(call).time->wall_now()));
  } else if (presented.is_there) {
    failure.with_hint(certificate_hint(presented));
  } else {
    failure.with_hint("Nothing was presented, neither a token nor a client certificate: the service requires one");
  }
}

void explain_forbidden(const AccessToken& sent, const PresentedCertificate& presented, Failure& failure) {
  const bool is_anonymous = failure.what().find(anonymous) != std::string::npos;
  if (presented.is_there && is_anonymous) {
    failure.with_hint(certificate_hint(presented));
  } else if (presented.is_there && sent.value.empty()) {
    failure.with_hint(fmt::format("Check what the roles of '{}' allow, the name in {}.", presented.facts.name, presented.from));
  } else if (sent.value.empty() && is_anonymous) {
    failure.with_hint("Nothing was presented, neither a token nor a client certificate: the server treats the request as anonymous");
  }
}

void explain_presented(Call& call, const ApiRequest& request, const AccessToken& sent, Failure& failure) {
  const int status = failure.last_status();
  const bool is_about_token = status == unauthorized_status && request.with_token;
  const bool is_of_cloud = request.service->is_google_api;
  const bool is_by_another = failure.code() == Errc::failed_precondition && request.needs_metadata_flavor;  // not a metadata server
  if (is_refusal(status) && !is_about_token && !is_by_another) {
    std::string hint = request.refusal_hint;
    if (hint.empty() && is_of_cloud && status != unauthorized_status) hint = place_fault_in(request.http.url.target);
    // A 403 may have other reasons as well, such as an API that is not enabled.
    if (!hint.empty() && status == forbidden_status && is_of_cloud) hint = fmt::format("{}; {}", failure.hint(), hint);
    if (!hint.empty()) {
      failure.with_hint(std::move(hint));
      return;
    }
  }
  const bool has_own_words = !request.service->takes_token;
  if (has_own_words || !may_be_about_certificate(failure)) return;
  PresentedCertificate presented = presented_certificate(request, impl_of(call).time->wall_now());
  if (!presented.is_there && sent.value.empty()) presented = ended_own_certificate(impl_of(call));
  // If the server knows the client's name, it has accepted the certificate, even if it is expired by this machine's clock.
  const bool is_known = status == forbidden_status && failure.what().find(anonymous) == std::string::npos;
  if (!presented.fault.empty() && !is_known) {
    failure.with_hint(fmt::format("{} {}: it must be renewed, unless this machine's clock is wrong", presented.from, presented.fault));
    return;
  }
  if (status == unauthorized_status) explain_unauthorized(call, request, sent, presented, failure);
  if (status == forbidden_status && request.service->names_anonymous) explain_forbidden(sent, presented, failure);
}

}  // namespace

void explain_refusal(Call& call, const ApiRequest& request, const AccessToken& sent, Failure& failure) {
  if (failure.code() == Errc::cancelled) return;
  explain_presented(call, request, sent, failure);
  if (!is_for_google(request, impl_of(call))) return;
  const std::string settings = unfollowed_settings(impl_of(call), failure.code());
  if (settings.empty()) return;
  std::string hint = failure.hint();
  if (hint.ends_with('.')) hint.pop_back();
  failure.with_hint(fmt::format("{}{}{}", hint, hint.empty() ? "" : "; ", settings));
}

}  // namespace rollcall
