// What a TPU is made of, by one request.
#pragma once

#include <asio/awaitable.hpp>
#include <string>

#include "command/arguments/parse_arguments.hpp"
#include "render/render_topology.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall::command {

class TpuQuestion {
 public:
  TpuQuestion() {}
  std::string target;  // with the defaults filled in
  TpuOptions options;
};

/// `word` with --project, --zone and --api. Errors: invalid_argument: no target, or one that names no TPU.
Result<TpuQuestion> read_tpu_question(const std::string& word, const Arguments& arguments);

/// One request for its type and its workers. A TPU that is not READY has a layout without workers. May suspend; cancellable. Errors: those
/// of the API; malformed_response or not_found when its accelerators are not understood; failed_precondition for a TPU that is no affair of
/// the API's (local, grpc://…).
asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options);

}  // namespace rollcall::command
