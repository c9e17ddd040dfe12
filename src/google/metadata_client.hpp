// Asks the metadata server of Compute Engine. Source: cloud.google.com/compute/docs/metadata.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// A request for `path` below /computeMetadata/v1/, with the header the server wants, short time-outs, and no proxy. The host is
/// GCE_METADATA_HOST, GCE_METADATA_ROOT, GCE_METADATA_IP or metadata.google.internal. Errors: invalid_argument (a bad override).
Result<ApiRequest> metadata_request(Runtime::Impl& impl, std::string_view path);

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

/// True if a metadata server answers the probe within `budget`; every failure means false [facts: metadata-probe].
asio::awaitable<Result<bool>> probe_metadata(Call& call, Duration budget = std::chrono::seconds(1));

}  // namespace rollcall
