#include "command/ask/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// The slices of the jobs whose tasks all have TPUs of their own: tasks of one part are a slice, and so is a task that has all devices of
// the type.
std::map<std::string, std::vector<int>, std::less<>> slices_of_members(const LaunchFacts& facts) {
  std::map<std::pair<std::string_view, int>, const Member*> members;
  for (const Member& member : facts.members) members.emplace(std::pair(std::string_view(member.job), member.index), &member);
  const int whole = facts.accelerator_type ? facts.accelerator_type->devices() : 0;
  std::map<std::string, std::vector<int>, std::less<>> slices;
  for (const ClusterSpec::Job& job : facts.spec.job_list()) {
    std::vector<int> sizes;
    const Member* before = nullptr;
    for (const auto& [index, address] : job.tasks) {
      const auto found = members.find({job.name, index});
      const Member* const member = found == members.end() ? nullptr : found->second;
      if (!member || !member->accelerators || member->accelerators->is_shared || member->accelerators->kind != "TPU") {
        sizes.clear();
        break;
      }
      const auto is_same = [&](const std::optional<MemberPart>& a, const std::optional<MemberPart>& b) {
        return a.has_value() == b.has_value() && (!a || (a->kind == b->kind && a->index == b->index && a->name == b->name));
      };
      const bool is_whole = whole > 0 && member->accelerators->count == whole;
      if (!before || is_whole || !is_same(before->part, member->part)) sizes.push_back(0);
      ++sizes.back();
      before = member;
    }
    if (!sizes.empty()) slices.emplace(job.name, std::move(sizes));
  }
  return slices;
}

}  // namespace

asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                std::string type, QuestionOptions options) {
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
  if (!facts.accelerator_type) {
    Result<AcceleratorType> of_members = AcceleratorType::parse(type);
    if (of_members) facts.accelerator_type = std::move(*of_members);
  }
  if (facts.slices.empty()) facts.slices = slices_of_members(facts);
  co_return facts;
}

}  // namespace rollcall::command
