// The constructor arguments that the TPU resolver and the Cloud TPU client share.
#pragma once

#include "conformance/arguments.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall::conformance {

/// Does not call `args.finish()`. `token_hosts` may receive tokens when a discovery document names them.
TpuOptions read_tpu_options(Arguments& args, const std::vector<std::string>& token_hosts);

}  // namespace rollcall::conformance
