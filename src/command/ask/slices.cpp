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

bool is_of_one_slice(LaunchFormat form) { return form == LaunchFormat::pjrt || form == LaunchFormat::torch_xla; }

bool need_type(const std::vector<LaunchFormat>& forms) { return std::any_of(forms.begin(), forms.end(), is_of_one_slice); }

// The slice of the environment. A type that is not known stays out: the form that needs it reports that.
Result<void> look_around(const AutoTpu& tpu, const std::string& target, bool needs_type, CommonType& common, LaunchFacts& facts) {
  if (tpu.has_all_slices) {
    std::vector<int>& slices = facts.slices[tpu.job];
    slices.insert(slices.end(), static_cast<std::size_t>(*tpu.num_slices), tpu.slice_tasks);
  }
  if (tpu.is_part()) facts.megascale.assign(tpu.megascale.begin(), tpu.megascale.end());
  if (!needs_type) return Result<void>();
  if (tpu.type) return common.take(*tpu.type, target);
  if (tpu.accelerator_type.empty()) return Result<void>();
  return Failure(Errc::failed_precondition, fmt::format("the type of the TPU is not known: {}", tpu.type_fault))
      .with_hint("say so: --accelerator-type v5litepod-16");
}

// The slices of the jobs whose tasks all have TPUs of their own: tasks of one part are a slice, and so is a task that has all devices of
// the type.
std::map<std::string, std::vector<int>, std::less<>> slices_of_members(const LaunchFacts& facts) {
  const MemberTable members(facts.members);
  const int whole = facts.accelerator_type ? facts.accelerator_type->devices() : 0;
  std::map<std::string, std::vector<int>, std::less<>> slices;
  for (const ClusterSpec::Job& job : facts.spec.job_list()) {
    std::vector<int> sizes;
    const Member* before = nullptr;
    for (const auto& [index, address] : job.tasks) {
      const Member* const member = members.find(job.name, index);
      if (!member || !member->accelerators || member->accelerators->is_shared || member->accelerators->kind != "TPU") {
        sizes.clear();
        break;
      }
      const auto is_same = [&](const SharedValue<MemberPart>& a, const SharedValue<MemberPart>& b) {
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

Result<void> check_slices(const std::vector<ClusterPart>& parts, std::string_view what) {
  for (const ClusterPart& part : parts) {
    const TargetScheme* const scheme = scheme_of(part.target);
    const std::optional<AutoTpu> own = scheme && scheme->own_slice ? scheme->own_slice(*part.resolver) : std::nullopt;
    if (!own || !own->is_part()) continue;
    const std::string which = own->slice_id ? fmt::format("slice {}", *own->slice_id) : std::string("one slice");
    return Failure(Errc::failed_precondition,
                   fmt::format("{} is {} of {} (MEGASCALE_NUM_SLICES), and does not know the hosts of the others, "
                               "which {} needs",
                               target_text(part.target), which, *own->num_slices, what))
        .with_hint(
            "name all of them, such as tpu:qr/NAME, kubernetes:NAMESPACE,job.worker=SELECTOR or simple:job.worker=HOST+HOST; pjrt and "
            "torch-xla describe this slice");
  }
  return Result<void>();
}

Result<void> check_slices(const std::vector<ClusterPart>& parts, const std::vector<LaunchFormat>& forms) {
  for (const LaunchFormat form : forms) {
    // Beside other forms `env` says what the target lists; alone it is TF_CONFIG, too, which describes a whole job.
    const bool is_beside = form == LaunchFormat::env && forms.size() > 1;
    if (is_beside || form == LaunchFormat::plain || is_of_one_slice(form)) continue;
    const Result<void> fine = check_slices(parts, form == LaunchFormat::env ? std::string_view("TF_CONFIG") : to_string(form));
    if (!fine) return fine;
  }
  return Result<void>();
}

asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                std::string type, QuestionOptions options) {
  CommonType common;
  const bool needs_type = !facts.accelerator_type && need_type(forms);
  const bool is_type_known = facts.accelerator_type.has_value();
  for (const ClusterPart& part : parts) {
    const TargetScheme* const scheme = scheme_of(part.target);
    if (scheme && scheme->own_slice) {
      const std::optional<AutoTpu> own = scheme->own_slice(*part.resolver);
      const Result<void> reported = own ? look_around(*own, part.target, needs_type, common, facts) : Result<void>();
      if (!reported) co_return reported.error();
      continue;
    }
    TpuSlicesResolver* const api = slices_of(*part.resolver);
    const TpuResolver* const tpu = tpu_of(*part.resolver);
    if (!api || (tpu && !tpu->uses_api())) continue;
    const Result<std::vector<TpuSlice>> slices = co_await api->try_slices(options.next());
    if (!slices) co_return slices.error();
    for (const TpuSlice& slice : *slices) {
      if (needs_type) {
        const Result<void> taken = slice.type ? common.take(*slice.type, part.target) : Result<void>(slice.type.error());
        if (!taken) co_return taken.error();
      }
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
