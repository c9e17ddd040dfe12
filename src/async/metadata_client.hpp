// Asks the metadata server of Compute Engine. Source: cloud.google.com/compute/docs/metadata.
#pragma once

#include <asio/awaitable.hpp>
#include <string>

#include "async/api_client.hpp"

namespace rollcall {

/// A request for `path` below /computeMetadata/v1/, with the header the server wants, short time-outs, and no proxy. The host is
/// GCE_METADATA_HOST, GCE_METADATA_ROOT, GCE_METADATA_IP or metadata.google.internal. Errors: invalid_argument (a bad override).
Result<ApiRequest> metadata_request(Runtime::Impl& impl, std::string_view path);

/// The trimmed value at `path`. Errors: not_found (no such key), failed_precondition (not a metadata server),
/// malformed_response (empty), unreachable and time-outs when nothing answers. May suspend; cancellable.
asio::awaitable<Result<std::string>> metadata_value(Call& call, std::string path);

/// The same for a value that never changes in a machine's life (project, zone): asked once by a Runtime, however many want it
/// at the same time. Failures are not kept.
asio::awaitable<Result<std::string>> fixed_metadata_value(Call& call, std::string path);

/// True if a metadata server answers the probe within a second; every failure means false (rule H12).
asio::awaitable<Result<bool>> probe_metadata(Call& call);

}  // namespace rollcall
