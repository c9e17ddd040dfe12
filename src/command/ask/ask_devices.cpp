#include "command/ask/ask_devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command/ask/question_options.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/tpu_call.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall::command {
namespace {

// By the type alone, where only that was asked for.
bool is_wanted(const std::vector<Member>& members, CountFrom source) {
  return source != CountFrom::accelerator_type || std::all_of(members.begin(), members.end(), [](const Member& member) {
           return member.accelerators && member.accelerators->source == to_string(CountSource::accelerator_type);
         });
}

// The first member of which it is not known how many it has, where it is known of others.
std::string unknown_among_known(const std::vector<Member>& members) {
  const auto is_known = [](const Member& member) { return member.accelerators.has_value(); };
  const auto unknown = std::find_if_not(members.begin(), members.end(), is_known);
  return std::any_of(members.begin(), members.end(), is_known) && unknown != members.end() ? unknown->label() : std::string();
}

}  // namespace

asio::awaitable<Result<AcceleratorType>> ask_own_type(std::shared_ptr<ClusterResolver> resolver, CallOptions options) {
  AutoResolver* const finder = auto_resolver_of(*resolver);
  if (!finder) co_return Failure(Errc::failed_precondition, fmt::format("{} does not look around itself", resolver->describe()));
  const Result<AutoChoice> choice = co_await finder->try_choose(std::move(options));
  if (!choice) co_return choice.error();
  if (choice->tpu.type) co_return *choice->tpu.type;
  const std::string why = choice->tpu.type_fault.empty() ? "nothing says the accelerator type" : choice->tpu.type_fault;
  co_return Failure(Errc::failed_precondition, fmt::format("{}: the type of a TPU is not known: {}", resolver->describe(), why));
}

asio::awaitable<Result<DeviceReport>> ask_devices(std::string target, std::shared_ptr<ClusterResolver> resolver, CallOptions options) {
  if (TpuResolver* const tpu = tpu_of(*resolver)) {
    Result<TpuSystemMetadata> found = co_await tpu->try_system_metadata(std::move(options));
    if (!found) co_return found.error();
    co_return DeviceReport(std::move(target), std::move(*found));
  }
  const CountFrom source = options.get<TpuCallOptions>().count_from();
  const QuestionOptions shared(std::move(options));
  std::optional<Failure> unknown_type;
  if (source != CountFrom::devices && auto_resolver_of(*resolver)) {
    Result<AcceleratorType> type = co_await ask_own_type(resolver, shared.next());
    if (type) co_return DeviceReport(std::move(target), TpuSystemMetadata::of_type(*type));
    if (source == CountFrom::accelerator_type || type.error().code() != Errc::failed_precondition) co_return type.error();
    const std::optional<AutoChoice> choice = auto_resolver_of(*resolver)->choice();
    if (choice && !choice->tpu.accelerator_type.empty()) unknown_type = type.error();
  }
  std::string unknown_member;
  std::optional<Failure> no_members;
  if (source != CountFrom::devices) {
    const Result<ClusterStatus> status = co_await resolver->try_cluster_status(shared.next());
    std::optional<DeviceReport> known;
    if (status && is_wanted(status->members, source)) known = report_of_members(target, status->members);
    if (known) co_return std::move(*known);
    if (status && source == CountFrom::automatic) unknown_member = unknown_among_known(status->members);
    if (!status && status.error().code() != Errc::unimplemented) no_members = status.error();
  }
  // On a TPU VM and in a TPU pod no runtime listens, unless a user starts one.
  if (unknown_type) co_return unknown_type->with_hint("where a TensorFlow runtime was started, ask it: --source devices");
  Result<std::vector<DeviceAttributes>> found = co_await resolver->try_list_devices(shared.next());
  if (found) co_return DeviceReport(std::move(target), std::move(*found));
  if (found.error().code() != Errc::failed_precondition) co_return found.error();
  if (no_members) co_return *no_members;
  if (unknown_member.empty()) co_return found.error();
  co_return Failure(Errc::failed_precondition,
                    fmt::format("how many accelerators {} has is not known, though it is of others", unknown_member))
      .with_hint("see what it asks for, such as by kubectl get pod -o yaml; or leave it out by the target");
}

}  // namespace rollcall::command
