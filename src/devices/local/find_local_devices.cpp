#include "rollcall/find_local_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "devices/local/look_at_local_devices.hpp"
#include "devices/local/look_at_machine.hpp"
#include "devices/local/rules/count_local_devices.hpp"
#include "programs/helpful_lines.hpp"

namespace rollcall {
namespace {

NvmlOutcome outcome_of(const Result<ProgramOutput>& ended, Duration waited) {
  using End = NvmlOutcome::End;
  if (!ended) {
    if (ended.error().code() == Errc::response_timeout) {
      return NvmlOutcome(End::silent,
                         fmt::format("NVIDIA's driver does not answer: NVML was waited for {}; a GPU may be in trouble, or has to be "
                                     "initialised first, which persistence mode avoids",
                                     duration_text(waited)));
    }
    return NvmlOutcome(End::nonsense, fmt::format("NVML was not asked: {}", ended.error().what()));
  }
  const std::string words = helpful_lines(ended->errors);
  const std::string said = words.empty() ? std::string() : fmt::format("; it said: {}", words);
  if (ended->signal != 0)
    return NvmlOutcome(End::died, fmt::format("NVIDIA's library crashed when it was loaded or asked: signal {}{}", ended->signal, said));
  Result<NvmlReport> report = parse_nvml_line(ended->output.reveal());
  if (report) return NvmlOutcome(std::move(*report));
  return NvmlOutcome(End::nonsense, fmt::format("{}, exit code {}{}", report.error().what(), ended->exit_code, said));
}

asio::awaitable<Result<LocalDevices>> look_for_devices(Call& call, std::shared_ptr<const LocalDevicesOptions> options) {
  const Result<LocalLook> look = co_await look_at_local_devices(call, std::move(options));
  if (!look) co_return look.error();
  co_return count_local_devices(look->machine, look->nvml, *impl_of(call).environment);
}

}  // namespace

asio::awaitable<Result<LocalLook>> look_at_local_devices(Call& call, std::shared_ptr<const LocalDevicesOptions> options) {
  Runtime::Impl& impl = impl_of(call);
  // Before NVML is loaded, which makes missing device files.
  LocalLook look;
  look.machine = look_at_machine(*impl.files, options->root());
  if (!look.machine.has_devices && !look.machine.has_pci) {
    co_return Failure(Errc::failed_precondition,
                      "neither /dev nor /sys/bus/pci/devices can be listed: the accelerators of this host are not known")
        .with_hint("run it where /sys is mounted");
  }
  if (!options->nvml_program().empty()) {
    ProgramRequest request(options->nvml_program());
    request.max_output_bytes = max_nvml_line_bytes;
    request.timeout = std::min(options->nvml_timeout(), saturating_difference(call.deadline(), impl.time->now()) / 5 * 4);
    const Duration waited = request.timeout;
    const Result<ProgramOutput> ended = co_await impl.programs->run(std::move(request));
    if (!ended && ended.error().code() == Errc::cancelled) co_return ended.error();
    look.nvml = outcome_of(ended, waited);
  }
  co_return look;
}

asio::awaitable<Result<LocalDevices>> try_find_local_devices(Runtime runtime, LocalDevicesOptions options, CallOptions call) {
  const auto shared = std::make_shared<const LocalDevicesOptions>(std::move(options));
  auto script = [shared](Call& within) { return look_for_devices(within, shared); };
  asio::awaitable<Result<LocalDevices>> running =
      run_call<LocalDevices>(shared_impl_of(runtime), std::move(call), CallSubject("devices of this host"), std::move(script));
  co_return co_await std::move(running);
}

asio::awaitable<LocalDevices> find_local_devices(Runtime runtime, LocalDevicesOptions options, CallOptions call) {
  return value_or_throw(try_find_local_devices(std::move(runtime), std::move(options), std::move(call)));
}

}  // namespace rollcall
