#include "command/ask/slices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/targets.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall::command {
namespace {

// The type that all slices so far have, and the target that it came from.
class CommonType {
 public:
  Result<void> take(const AcceleratorType& type, const std::string& target) {
    if (!first_) {
      first_ = type;
      whose_ = target;
    }
    if (first_->name() == type.name() && first_->topology() == type.topology()) return Result<void>();
    return Failure(Errc::failed_precondition,
                   fmt::format("slices of several types cannot share a launch: {} is {} of {}, and {} is {} of {}", printable(whose_),
                               first_->name(), first_->topology().to_text(), target_text(target), type.name(), type.topology().to_text()))
        .with_hint("say this host's: --accelerator-type TYPE");
  }
  const std::optional<AcceleratorType>& type() const { return first_; }

 private:
  std::optional<AcceleratorType> first_;
  std::string whose_;
};

// The type from a TPU VM's tpu-env or a pod's variables. Texts that are not understood are no error here: a form that needs the type
// reports that it is missing.
std::optional<AcceleratorType> type_of(const AutoTpu& tpu) {
  Result<AcceleratorType> type = AcceleratorType::parse(tpu.accelerator_type);
  if (!type) return std::nullopt;
  if (tpu.topology.empty()) return std::move(*type);
  Result<AcceleratorType> shaped = AcceleratorType::parse(fmt::format("{}-{}", to_string(type->generation()), tpu.topology));
  if (!shaped || shaped->chips() != type->chips()) return std::nullopt;
  return std::move(*shaped);
}

Result<void> look_around(const AutoTpu& tpu, const std::string& target, const std::vector<LaunchFormat>& forms, CommonType& common) {
  if (tpu.num_slices.value_or(1) > 1 && std::find(forms.begin(), forms.end(), LaunchFormat::megascale) != forms.end()) {
    return Failure(Errc::failed_precondition,
                   fmt::format("{} is one slice of {}, and does not know the others", target_text(target), *tpu.num_slices))
        .with_hint("name all of them, such as tpu:qr/NAME,slices=jobs; without this form the program gets what its environment declares");
  }
  const std::optional<AcceleratorType> type = type_of(tpu);
  return type ? common.take(*type, target) : Result<void>();
}

}  // namespace

asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                QuestionOptions options) {
  CommonType common;
  const bool is_type_known = facts.accelerator_type.has_value();
  for (const ClusterPart& part : parts) {
    const TargetScheme* const scheme = scheme_of(part.target);
    if (scheme && scheme->own_slice) {
      const std::optional<AutoTpu> own = scheme->own_slice(*part.resolver);
      const Result<void> reported = own ? look_around(*own, part.target, forms, common) : Result<void>();
      if (!reported) co_return reported.error();
      continue;
    }
    TpuSlicesResolver* const api = slices_of(*part.resolver);
    const TpuResolver* const tpu = tpu_of(*part.resolver);
    if (!api || (tpu && !tpu->uses_api())) continue;
    const Result<std::vector<TpuSlice>> slices = co_await api->try_slices(options.next());
    if (!slices) co_return slices.error();
    for (const TpuSlice& slice : *slices) {
      const Result<void> taken = is_type_known ? Result<void>() : common.take(slice.type, part.target);
      if (!taken) co_return taken.error();
      facts.slices[slice.job].push_back(slice.workers);
    }
  }
  if (!is_type_known) facts.accelerator_type = common.type();
  co_return facts;
}

}  // namespace rollcall::command
