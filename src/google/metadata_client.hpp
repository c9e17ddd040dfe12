// Queries the metadata server of Compute Engine. Source: cloud.google.com/compute/docs/metadata.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// A request for `path` below /computeMetadata/v1/, with the header that the server requires, short time-outs, and no proxy. The host is
/// GCE_METADATA_HOST, GCE_METADATA_ROOT, GCE_METADATA_IP or metadata.google.internal. GCE_METADATA_TIMEOUT is the initial time limit of one
/// attempt, in seconds, and GCE_METADATA_DETECT_RETRIES the number of attempts if no server is expected. If a variable names the server,
/// the hint of a failure to connect begins with that variable. Errors: invalid_argument (a bad override).
Result<ApiRequest> metadata_request(Runtime::Impl& impl, std::string_view path);

/// True if the failure's hint is that a variable names a metadata server that is not there. That hint must not be replaced.
inline bool is_misdirected(const Failure& failure) { return failure.hint().starts_with("GCE_METADATA_"); }

/// Sends a request that metadata_request() built. A path whose answer exceeded its time limit gets twice the limit the next time, up to 20
/// s, within this call and in later ones: the server of a busy node is slow for tokens. Errors: as api_send.
asio::awaitable<Result<HttpResponse>> metadata_send(Call& call, ApiRequest& request);

/// Whether the metadata server may be queried for optional values: the search of `auto:`, and notices about this machine. Values that a
/// target needs, and tokens, are queried in any case.
class MetadataPolicy {
 public:
  MetadataPolicy() {}
  explicit MetadataPolicy(std::string forbidden_by) : forbidden_by_(std::move(forbidden_by)) {}
  bool may_ask() const noexcept { return forbidden_by_.empty(); }
  /// The setting that disables it: "TPU_SKIP_MDS_QUERY is set".
  const std::string& forbidden_by() const noexcept { return forbidden_by_; }

 private:
  std::string forbidden_by_;
};

/// Not if TPU_SKIP_MDS_QUERY is set, NO_GCE_CHECK is true, or METADATA_SERVER_DETECTION is none or bios-only. Source: JAX's detection of
/// TPU VMs; google-auth.
MetadataPolicy metadata_policy(const Environment& environment);

/// True if this is a machine of Google's according to its firmware.
bool is_google_machine(const Runtime::Impl& impl);

/// The trimmed value at `path`. Errors: not_found (no such key), failed_precondition (not a metadata server), malformed_response (empty),
/// unreachable and time-outs when there is no answer. May suspend; cancellable.
asio::awaitable<Result<std::string>> metadata_value(Call& call, std::string path);

/// The same for a value that never changes during a machine's life (project, zone): requested once by a Runtime, for all callers at the
/// same time. Failures are not kept.
asio::awaitable<Result<std::string>> fixed_metadata_value(Call& call, std::string path);

/// The value at `path` unchanged, including lists and texts of many lines; none when there is no such key, or it is empty. Errors: as
/// metadata_value, except not_found and empty values.
asio::awaitable<Result<std::optional<std::string>>> metadata_document(Call& call, std::string path);

/// True if a metadata server answers the probe within `budget`, or within GCE_METADATA_TIMEOUT if that is set; every failure means false
/// [facts: metadata-probe].
asio::awaitable<Result<bool>> probe_metadata(Call& call, Duration budget = std::chrono::seconds(1));

}  // namespace rollcall
