#include "command/run/tpu_question.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "command/arguments/spec_targets.hpp"
#include "command/arguments/target_hint.hpp"
#include "resolvers/target_schemes.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/tpu_spec.hpp"

namespace rollcall::tools {
namespace {

Result<TpuLayout> layout_of(const TpuQuestion& question, const std::string& name, const TpuNode& node) {
  const Result<AcceleratorType> type = accelerator_of(name, node);
  if (!type) return type.error();
  TpuLayout layout(*type);
  layout.target = question.target;
  layout.state = node.state;
  if (node.state != "READY") return layout;
  const Result<std::vector<Endpoint>> endpoints = worker_endpoints(name, node);
  if (!endpoints) return endpoints.error();
  for (const Endpoint& endpoint : *endpoints) layout.workers.push_back(endpoint.to_text());
  return layout;
}

asio::awaitable<Result<TpuLayout>> find_layout(Call& call, const TpuQuestion& question) {
  const Result<TpuPlan> plan = plan_tpu(question.options, *call.impl().environment);
  if (!plan) co_return plan.error();
  if (plan->kind != TpuKind::api) {
    co_return Failure(Errc::failed_precondition,
                      fmt::format("the accelerators of TPU {} cannot be asked for: only the Cloud TPU API knows them", quoted(plan->name)))
        .with_hint("name its type instead, such as rollcall topology v4-32");
  }
  const Result<TpuAnswer> node = co_await ask_tpu(call, *plan, question.options);
  if (!node) co_return node.error();
  Result<TpuLayout> layout = layout_of(question, plan->name, *node);
  if (!layout) co_return node->with_origin(layout.error());
  co_return layout;
}

}  // namespace

Result<TpuQuestion> read_tpu_question(const std::string& word, const Arguments& arguments) {
  const Result<void> scheme = check_scheme(word);
  if (!scheme) return scheme.error();
  const Result<std::string> filled = with_defaults(word, arguments);
  if (!filled) return filled.error();
  const Result<Target> target = Target::parse(*filled);
  if (!target) return target.error();
  if (target->scheme != "tpu") {
    return Failure(Errc::invalid_argument, fmt::format("{} names no TPU", quoted(word, 128)))
        .with_hint("give a tpu: target, or an accelerator type such as v4-32");
  }
  const Result<void> keys = check_keys(*target, *find_scheme("tpu"));
  if (!keys) return keys.error();
  Result<TpuOptions> options = tpu_options(*target);
  if (!options) return options.error();
  TpuQuestion question;
  question.target = *filled;
  question.options = std::move(*options);
  return question;
}

asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options) {
  const std::string subject = fmt::format("{} accelerator", printable(question.target, 160));
  auto script = [question = std::move(question)](Call& call) { return find_layout(call, question); };
  return run_call<TpuLayout>(runtime.shared(), std::move(options), subject, std::move(script));
}

}  // namespace rollcall::tools
