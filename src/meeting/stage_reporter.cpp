#include "rollcall/stage_reporter.hpp"

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "call/call_scope.hpp"
#include "meeting/roll_keeper.hpp"
#include "meeting/roll_server.hpp"
#include "meeting/rules/meeting_tasks.hpp"
#include "meeting/rules/task_list.hpp"
#include "meeting/run_identity.hpp"

namespace rollcall {

class StageReporter::State {
 public:
  explicit State(Runtime::Impl& runtime) : incarnation(meeting::new_incarnation(runtime)) {}
  std::shared_ptr<Runtime::Impl> impl;
  std::string name;  // `worker:3`
  std::string path;
  std::string task_list;
  std::size_t tasks = 0;
  const std::string incarnation;
  std::vector<meeting::RollServer> servers;
  std::int64_t sequence = 0;
};

namespace {

constexpr Duration patience_with_stages = std::chrono::seconds(3);

asio::awaitable<Result<void>> say_stages(Call& call, const meeting::RollServer& server, const std::string& path,
                                         const meeting::Hello& hello) {
  const Result<meeting::RollAnswer> answer = co_await server.ask(call, path, hello, patience_with_stages);
  if (!answer) co_return answer.error();
  co_return Result<void>();
}

// Of several servers one keeps the roll, and the others refuse.
asio::awaitable<Result<void>> say_stages_to_all(Call& call, std::vector<meeting::RollServer> servers, std::string path,
                                                meeting::Hello hello) {
  std::vector<asio::awaitable<Result<void>>> children;
  for (const meeting::RollServer& server : servers) children.push_back(say_stages(call, server, path, hello));
  const std::vector<Result<void>> said = co_await gather(std::move(children));
  const bool is_taken = std::any_of(said.begin(), said.end(), [](const Result<void>& one) { return one.has_value(); });
  co_return is_taken ? Result<void>() : said.front();
}

}  // namespace

Result<StageReporter> StageReporter::make(const Runtime& runtime, const ClusterSpec& spec, const LaunchedTask& own,
                                          const std::string& run) {
  const std::shared_ptr<Runtime::Impl> impl = shared_impl_of(runtime);
  const Result<std::shared_ptr<RemoteServers>> service = RemoteServers::needed(*impl);
  if (!service) return service.error();
  const Result<std::vector<meeting::MeetingTask>> tasks = meeting::meeting_tasks(spec);
  if (!tasks) return tasks.error();
  const Result<std::size_t> place = meeting::place_of(*tasks, own);
  if (!place) return place.error();
  Result<std::string> list = meeting::write_task_list(*tasks);
  if (!list) return list.error();
  auto state = std::make_shared<State>(*impl);
  state->impl = impl;
  state->name = (*tasks)[*place].name;
  state->path = meeting::path_of_hello(meeting::name_of_run("barrier", *tasks, run), *place);
  state->task_list = std::move(*list);
  state->tasks = tasks->size();
  for (std::size_t server = 0; server < (*service)->count(); ++server) state->servers.emplace_back(*service, server);
  return StageReporter(std::move(state));
}

asio::awaitable<Result<void>> StageReporter::try_report(std::vector<StageSpan> stages, CallOptions options) const {
  for (const StageSpan& stage : stages) {
    const Result<void> fine = check_stage_name(stage.name);
    if (!fine) co_return fine.error();
  }
  const std::shared_ptr<State> state = state_;
  meeting::Hello hello;
  hello.incarnation = state->incarnation;
  hello.sequence = ++state->sequence;
  hello.stage = meeting::Stage::coming;
  hello.tasks = state->task_list;
  hello.stages.assign(stages.end() - static_cast<std::ptrdiff_t>(std::min(stages.size(), max_stages)), stages.end());
  auto script = [state, hello](Call& call) { return say_stages_to_all(call, state->servers, state->path, hello); };
  co_return co_await run_call<void>(state->impl, std::move(options), CallSubject("the stage of " + state->name), std::move(script));
}

Duration StageReporter::pause() const noexcept { return meeting::answer_pause(state_->tasks); }

}  // namespace rollcall
