// `barrier`: waits until every task of a cluster waits, too.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "command/ask/own_meeting.hpp"
#include "command/session/methods.hpp"
#include "json/json_text.hpp"
#include "launch/ranks.hpp"
#include "render/render_barrier.hpp"
#include "render/render_cluster.hpp"
#include "rollcall/barrier.hpp"

namespace rollcall::serve {
namespace {

// Parameter servers and evaluators have no rank.
std::string rank_text(const LaunchFacts& facts) {
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return "null";
  const Result<Rank> own = own_rank(*ranks, facts);
  return own ? std::to_string(own->rank) : "null";
}

Answer meet_others(Asking asking, std::vector<command::ClusterPart> parts, std::shared_ptr<ClusterResolver> together, LaunchFacts given,
                   BarrierOptions barrier, CallOptions options) {
  const command::QuestionOptions shared(std::move(options));
  const Result<command::OwnMeeting> own =
      co_await command::ask_own_meeting(std::move(parts), std::move(together), std::move(given), "a barrier", shared);
  if (!own) co_return own.error();
  barrier.run(own->run).request_options(shared.next());
  const Result<BarrierRelease> release = co_await try_barrier(asking.runtime(), own->spec, own->task, std::move(barrier));
  if (!release) co_return release.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  LaunchFacts facts;
  facts.spec = own->spec;
  facts.task = own->task;
  std::string out = without_end(render_json(own->spec));
  out.pop_back();
  append_json_field(out, "job", own->task.job);
  co_return fmt::format("{},\"index\":{},\"rank\":{},\"generation\":{}}}", out, own->task.index, rank_text(facts), release->generation);
}

}  // namespace

Result<Answer> begin_barrier(Asking asking, Question& question) {
  Result<std::vector<command::ClusterPart>> parts = command::make_parts(asking.runtime(), Asking::listed(question), asking.arguments());
  if (!parts) return parts.error();
  std::shared_ptr<ClusterResolver> together = command::put_together(asking.runtime(), *parts);
  BarrierOptions options;
  options.port(question.meeting_port).generation(question.generation);
  options.on_progress([asking, is_sent = question.wants_progress](const BarrierProgress& progress) mutable {
    asking.progress(render_barrier_json(progress, std::chrono::system_clock::now()), is_sent);
  });
  return meet_others(asking, std::move(*parts), std::move(together), std::move(question.launch), std::move(options),
                     asking.call_options(question));
}

}  // namespace rollcall::serve
