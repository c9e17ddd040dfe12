#include "fleet/replicas/peer_link.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/url.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::fleet {
namespace {

Result<std::string> read_peer_file(Runtime::Impl& runtime, const std::string& path, std::string_view what) {
  constexpr std::size_t max_peer_file = 1 << 20;
  Result<std::string> read = runtime.files->read(path, max_peer_file);
  if (read) return read;
  Failure failure = read.error();
  failure.with_what(fmt::format("{} cannot be read: {}", what, failure.what()));
  return failure;
}

}  // namespace

PeerLink::PeerLink(PeerFiles files)
    : files_(std::move(files)), credentials_(files_.token_file.empty() ? nullptr : token_file(files_.token_file)) {}

Result<std::shared_ptr<const ServerAccess>> PeerLink::access(Runtime::Impl& runtime) const {
  if (files_.authorities_file.empty() && files_.certificate_file.empty()) return std::shared_ptr<const ServerAccess>();
  const auto made = std::make_shared<ServerAccess>();
  if (!files_.authorities_file.empty()) {
    Result<std::string> read = read_peer_file(runtime, files_.authorities_file, "the file of the replicas' authorities");
    if (!read) return read.error();
    made->authorities = std::move(*read);
    made->authorities_from = "the CA file " + path_text(files_.authorities_file);
  }
  if (!files_.certificate_file.empty()) {
    Result<std::string> certificate = read_peer_file(runtime, files_.certificate_file, "the service's certificate");
    if (!certificate) return certificate.error();
    const std::string& key_file = files_.key_file.empty() ? files_.certificate_file : files_.key_file;
    Result<std::string> key = read_peer_file(runtime, key_file, "the service's key");
    if (!key) return key.error();
    made->certificate = std::move(*certificate);
    made->key = Secret<std::string>(std::move(*key));
    made->identity_from = "the service's certificate " + path_text(files_.certificate_file);
  }
  return std::shared_ptr<const ServerAccess>(made);
}

Result<ApiRequest> PeerLink::request(Call& call, const std::string& root, std::string_view path) const {
  Result<Url> url = parse_api_root("the lease", root, "the address of a replica");
  if (!url) return url.error();
  // What the leader says is believed, and handed out as addresses of members.
  if (!url->is_https && !is_loopback(url->host))
    return Failure(Errc::refused_by_policy, fmt::format("the leader serves at {}, without TLS", url->origin()))
        .with_hint("give all replicas a certificate (tls); plain http is for addresses of this machine only");
  ApiRequest request(std::move(*url));
  request.http.url.target.pop_back();
  request.http.url.target.append(path);
  Result<std::shared_ptr<const ServerAccess>> by = access(impl_of(call));
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
