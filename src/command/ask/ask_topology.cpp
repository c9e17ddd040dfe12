#include "command/ask/ask_topology.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/targets.hpp"
#include "rollcall/accelerator.hpp"
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

}  // namespace

Result<TpuQuestion> read_tpu_question(const std::string& word, const Arguments& arguments) {
  const Result<void> scheme = check_scheme(word);
  if (!scheme) return scheme.error();
  const Result<std::string> filled = with_defaults(word, arguments);
  if (!filled) return filled.error();
  const Result<Target> target = Target::parse(*filled);
  if (!target) return target.error();
  const TargetScheme& known = *find_scheme(target->scheme);
  if (!known.tpu) {
    return Failure(Errc::invalid_argument, fmt::format("{} names no TPU", quoted_target(word, 128)))
        .with_hint("give a tpu: target, or an accelerator type such as v4-32");
  }
  const Result<void> keys = check_keys(*target, known);
  if (!keys) return keys.error();
  Result<TpuOptions> options = known.tpu(*target);
  if (!options) return options.error();
  TpuQuestion question;
  question.target = *filled;
  question.options = std::move(*options);
  return question;
}

asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options) {
  const std::shared_ptr<CloudTpuClient> client = make_cloud_tpu_client(std::move(runtime), std::move(question.options));
  Result<TpuDescription> reported = co_await client->try_description(std::move(options));
  if (reported) co_return layout_of(question.target, std::move(*reported));
  Failure failure = reported.error();
  if (!client->api_available() && failure.code() == Errc::failed_precondition)
    failure.with_hint("name its type instead, such as rollcall topology v4-32");
  co_return failure;
}

}  // namespace rollcall::command
