#include "command/ask/ask_topology.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/targets.hpp"
#include "command/ask/ask_devices.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/cloud_tpu_client.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

TpuLayout layout_of(const std::string& target, TpuDescription reported) {
  TpuLayout layout(std::move(reported.accelerator));
  layout.target = target;
  layout.state = std::move(reported.state);
  layout.health = std::move(reported.health);
  layout.level = reported.level;
  for (const Endpoint& worker : reported.workers) layout.workers.push_back(worker.to_text());
  return layout;
}

asio::awaitable<Result<TpuLayout>> ask_own_layout(Runtime runtime, std::string target, CallOptions options) {
  const Result<std::shared_ptr<ClusterResolver>> resolver = make_resolver(std::move(runtime), target);
  if (!resolver) co_return resolver.error();
  const QuestionOptions shared(std::move(options));
  const Result<AcceleratorType> type = co_await ask_own_type(*resolver, shared.next());
  if (!type) co_return type.error();
  TpuLayout layout(*type);
  layout.target = std::move(target);
  const Result<ClusterSpec> spec = co_await (*resolver)->try_cluster_spec(shared.next());
  const std::optional<AutoTpu> own = scheme_of(layout.target)->own_slice(**resolver);
  if (!spec || !own || own->job.empty()) co_return layout;  // which worker this is need not be known
  const int first = own->has_all_slices ? *own->slice_id * own->slice_tasks : 0;
  for (int i = first; i < first + own->slice_tasks; ++i) {
    Result<std::string> address = spec->task_address(own->job, i);
    if (address) layout.workers.push_back(*std::move(address));
  }
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
  const TargetScheme& known = *find_scheme(target->scheme);
  if (!known.tpu && !known.own_slice) {
    return Failure(Errc::invalid_argument, fmt::format("{} names no TPU", quoted_target(word, 128)))
        .with_hint("give a tpu: target, auto: for this machine, or an accelerator type such as v4-32");
  }
  const Result<void> keys = check_keys(*target, known);
  if (!keys) return keys.error();
  TpuQuestion question;
  question.target = *filled;
  question.is_own = !known.tpu;
  if (question.is_own) return question;
  Result<TpuOptions> options = known.tpu(*target);
  if (!options) return options.error();
  question.options = std::move(*options);
  return question;
}

asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options) {
  if (question.is_own) co_return co_await ask_own_layout(std::move(runtime), std::move(question.target), std::move(options));
  const std::shared_ptr<CloudTpuClient> client = make_cloud_tpu_client(std::move(runtime), std::move(question.options));
  Result<TpuDescription> reported = co_await client->try_description(std::move(options));
  if (reported) co_return layout_of(question.target, std::move(*reported));
  Failure failure = reported.error();
  if (!client->api_available() && failure.code() == Errc::failed_precondition)
    failure.with_hint("name its type instead, such as rollcall topology v4-32");
  co_return failure;
}

}  // namespace rollcall::command
