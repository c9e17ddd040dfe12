// Forms that are written next.
#include "launch/format_row.hpp"

namespace rollcall {
namespace {

Result<std::string> not_written(const LaunchFacts&) { return Failure(Errc::unimplemented, "this form is not written yet"); }

}  // namespace

const FormatRow jax_row{.facts = {.format = LaunchFormat::jax, .help = "not written yet"}, .text = not_written};
const FormatRow pjrt_row{.facts = {.format = LaunchFormat::pjrt, .help = "not written yet"}, .text = not_written};
const FormatRow megascale_row{.facts = {.format = LaunchFormat::megascale, .help = "not written yet"}, .text = not_written};
const FormatRow torch_xla_row{.facts = {.format = LaunchFormat::torch_xla, .help = "not written yet"}, .text = not_written};

}  // namespace rollcall
