// `devices`, `accelerators`, `topology`: the hardware of clusters.
#include "async/group.hpp"
#include "command/ask/ask_devices.hpp"
#include "command/ask/ask_topology.hpp"
#include "command/session/methods.hpp"

namespace rollcall::serve {
namespace {

// Each target is a question of its own.
Answer report_devices(Asking asking, std::vector<std::string> targets, std::vector<Result<std::shared_ptr<ClusterResolver>>> resolvers,
                      bool is_partial, CallOptions options) {
  std::vector<asio::awaitable<Result<DeviceReport>>> questions;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (resolvers[i]) questions.push_back(command::ask_devices(targets[i], *resolvers[i], options));
  }
  std::vector<Result<DeviceReport>> found = co_await gather(std::move(questions));
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  std::vector<DeviceReport> reports;
  std::vector<TargetFailure> failed;
  auto next = found.begin();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Result<DeviceReport> answer = resolvers[i] ? std::move(*next++) : Result<DeviceReport>(resolvers[i].error());
    if (answer) {
      reports.push_back(std::move(*answer));
      continue;
    }
    if (!is_partial || answer.error().code() == Errc::cancelled) {
      asking.blame(targets[i]);
      co_return answer.error();
    }
    failed.emplace_back(targets[i], answer.error());
  }
  co_return without_end(render_devices_json(reports, failed));
}

Answer count_accelerators(std::shared_ptr<ClusterResolver> resolver, CallOptions options) {
  const Result<AcceleratorCounts> counts = co_await resolver->try_num_accelerators({}, {}, std::move(options));
  if (!counts) co_return counts.error();
  co_return "{\"counts\":" + counts->to_json() + "}";
}

Answer show_type(TpuLayout layout) { co_return without_end(render_topology_json(layout)); }

Answer show_tpu(asio::awaitable<Result<TpuLayout>> question) {
  const Result<TpuLayout> layout = co_await std::move(question);
  if (!layout) co_return layout.error();
  co_return without_end(render_topology_json(*layout));
}

}  // namespace

Result<Answer> begin_devices(Asking asking, Question& question) {
  std::vector<Result<std::shared_ptr<ClusterResolver>>> resolvers;
  for (const command::ListedTarget& target : Asking::listed(question)) {
    resolvers.push_back(command::make_listed(asking.runtime(), target, asking.arguments()));
    if (resolvers.back() || question.is_partial) continue;
    asking.blame(target.text);
    return resolvers.back().error();
  }
  return report_devices(asking, std::move(question.targets), std::move(resolvers), question.is_partial, asking.call_options(question));
}

Result<Answer> begin_accelerators(Asking asking, Question& question) {
  Result<std::shared_ptr<ClusterResolver>> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  return count_accelerators(std::move(*resolver), asking.call_options(question));
}

Result<Answer> begin_topology(Asking asking, Question& question) {
  if (question.accelerator_type.empty() == question.targets.empty())
    return Failure(Errc::invalid_argument, "give either accelerator_type or target")
        .with_hint("a type needs no request, a tpu: target asks the API");
  if (!question.accelerator_type.empty()) {
    const Result<AcceleratorType> type = AcceleratorType::parse(question.accelerator_type);
    if (!type) return about_param("accelerator_type", type.error());
    return show_type(TpuLayout(*type));
  }
  Result<command::TpuQuestion> tpu = command::read_tpu_question(question.targets.front(), asking.arguments());
  if (!tpu) return tpu.error();
  return show_tpu(command::ask_layout(asking.runtime(), std::move(*tpu), asking.call_options(question)));
}

}  // namespace rollcall::serve
