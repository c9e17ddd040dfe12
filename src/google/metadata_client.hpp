// Asks the metadata server of Compute Engine. Source: cloud.google.com/compute/docs/metadata.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// A request for `path` below /computeMetadata/v1/, with the header the server wants, short time-outs, and no proxy. The host is
/// GCE_METADATA_HOST, GCE_METADATA_ROOT, GCE_METADATA_IP or metadata.google.internal. GCE_METADATA_TIMEOUT is how long one attempt may take
/// at first, in seconds, and GCE_METADATA_DETECT_RETRIES how often a server is tried that is not expected. Where a variable names it, the
/// hint of a failure to connect begins with that variable. Errors: invalid_argument (a bad override).
Result<ApiRequest> metadata_request(Runtime::Impl& impl, std::string_view path);

/// True if the failure's hint is that a variable names a metadata server that is not there. No other advice is worth more.
inline bool is_misdirected(const Failure& failure) { return failure.hint().starts_with("GCE_METADATA_"); }

/// Sends a request that metadata_request() made. A path at which the server was silent for longer than it may be gets twice as long the
/// next time, up to 20 s, within this call and in later ones: the server of a busy node takes its time for tokens. Errors: as api_send.
asio::awaitable<Result<HttpResponse>> metadata_send(Call& call, ApiRequest& request);

/// Whether the metadata server may be asked by those who can do without its answer: auto's search, and the notices of this machine. Values
/// that a target needs, and tokens, are asked for all the same.
class MetadataPolicy {
 public:
  MetadataPolicy() {}
  explicit MetadataPolicy(std::string forbidden_by) : forbidden_by_(std::move(forbidden_by)) {}
  bool may_ask() const noexcept { return forbidden_by_.empty(); }
  /// What switches it off: "TPU_SKIP_MDS_QUERY is set".
  const std::string& forbidden_by() const noexcept { return forbidden_by_; }

 private:
  std::string forbidden_by_;
};

/// Not when TPU_SKIP_MDS_QUERY is set, NO_GCE_CHECK is true, or METADATA_SERVER_DETECTION is none or bios-only. Source: JAX's detection of
/// TPU VMs; google-auth.
MetadataPolicy metadata_policy(const Environment& environment);

/// Whether the firmware says that this is a machine of Google's.
bool is_google_machine(const Runtime::Impl& impl);

/// The trimmed value at `path`. Errors: not_found (no such key), failed_precondition (not a metadata server),
/// malformed_response (empty), unreachable and time-outs when nothing answers. May suspend; cancellable.
asio::awaitable<Result<std::string>> metadata_value(Call& call, std::string path);

/// The same for a value that never changes in a machine's life (project, zone): asked once by a Runtime, however many want it
/// at the same time. Failures are not kept.
asio::awaitable<Result<std::string>> fixed_metadata_value(Call& call, std::string path);

/// The value at `path` as it is, lists and texts of many lines too; none when there is no such key, or it is empty. Errors: as
/// metadata_value, but for not_found and empty values.
asio::awaitable<Result<std::optional<std::string>>> metadata_document(Call& call, std::string path);

/// True if a metadata server answers the probe within `budget`, or within GCE_METADATA_TIMEOUT where that is set; every failure means false
/// [facts: metadata-probe].
asio::awaitable<Result<bool>> probe_metadata(Call& call, Duration budget = std::chrono::seconds(1));

}  // namespace rollcall
