// Asks for the layout of a TPU with one request.
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
  bool is_own = false;  // the slice that this process is part of: the environment says its type
};

/// `word` with --project, --zone and --api. Errors: invalid_argument: not a target, or a target that is not a TPU.
Result<TpuQuestion> read_tpu_question(const std::string& word, const Arguments& arguments);

/// Sends one request for the TPU's type and workers, none for the own slice where the environment has it. A TPU that is not READY has a
/// layout without workers. May suspend; cancellable. Errors: those of the API and of AutoResolver::choose(); malformed_response or
/// not_found when its accelerators are not understood; failed_precondition for a TPU that the API does not manage (local, grpc://…), and
/// where this process's environment does not say a type.
asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options);

}  // namespace rollcall::command
