// `devices`, `accelerators`, `topology`: the hardware of clusters.
#include "command/ask/ask_devices.hpp"
#include "command/ask/ask_each_target.hpp"
#include "command/ask/ask_topology.hpp"
#include "command/ask/local_devices.hpp"
#include "command/session/methods.hpp"
#include "render/render_local_devices.hpp"

namespace rollcall::serve {
namespace {

Answer report_devices(Asking asking, std::vector<std::string> targets, bool is_partial,
                      asio::awaitable<Result<std::vector<Result<DeviceReport>>>> question) {
  Result<std::vector<Result<DeviceReport>>> answers = co_await std::move(question);
  if (!answers) co_return answers.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  std::vector<DeviceReport> reports;
  std::vector<TargetFailure> failed;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Result<DeviceReport>& answer = (*answers)[i];
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

Answer find_here(Runtime runtime, LocalDevicesOptions options, CallOptions call) {
  const Result<LocalDevices> found = co_await try_find_local_devices(std::move(runtime), std::move(options), std::move(call));
  if (!found) co_return found.error();
  co_return without_end(render_local_devices_json(*found));
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
  const Result<bool> is_here = command::asks_this_host(question.targets);
  if (!is_here) return is_here.error();
  if (*is_here) {
    return find_here(asking.runtime(), command::local_devices_options(asking.arguments(), question.timeout), asking.call_options(question));
  }
  std::vector<command::ListedTarget> targets = Asking::listed(question);
  std::vector<command::MadeResolver> resolvers = command::make_each(asking.runtime(), targets, asking.arguments());
  for (std::size_t i = 0; i < targets.size() && !question.is_partial; ++i) {
    if (resolvers[i]) continue;
    asking.blame(targets[i].text);
    return resolvers[i].error();
  }
  const auto ask = [options = asking.call_options(question)](const std::string& target, std::shared_ptr<ClusterResolver> resolver) {
    return command::ask_devices(target, std::move(resolver), options);
  };
  auto asked = command::ask_each_target<DeviceReport>(std::move(targets), std::move(resolvers), ask, nullptr);
  return report_devices(asking, std::move(question.targets), question.is_partial, std::move(asked));
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
