#include "fleet/replicas/peer_link.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/ip.hpp"
#include "base/url.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::fleet {

PeerLink::PeerLink(PeerFiles files)
    : access_(std::move(files.access), "the other replicas"),
      credentials_(files.token_file.empty() ? nullptr : token_file(files.token_file)) {}

Result<ApiRequest> PeerLink::request(Call& call, const std::string& root, std::string_view path) {
  Result<Url> url = parse_api_root("the lease", root, "the address of a replica");
  if (!url) return url.error();
  // What the leader says is believed, and handed out as addresses of members.
  if (!url->is_https && !is_loopback(url->host))
    return Failure(Errc::refused_by_policy, fmt::format("the leader serves at {}, without TLS", url->origin()))
        .with_hint("give all replicas a certificate (tls); plain http is for addresses of this machine only");
  ApiRequest request(std::move(*url));
  request.http.url.target.pop_back();
  request.http.url.target.append(path);
  Result<std::shared_ptr<const ServerAccess>> by = access_.read(impl_of(call));
  if (!by) return by.error();
  request.http.access = std::move(*by);
  request.with_token = credentials_ != nullptr;
  request.credentials = credentials_;
  request.is_probe = true;  // the caller tries again
  request.counts_against_limit = false;
  request.what = "the leader " + request.http.url.origin();
  return request;
}

}  // namespace rollcall::fleet
