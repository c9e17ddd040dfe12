// `watch`, `discover`: answers that are streams of events. The next event is taken when there is room, so waiting events can be merged at
// their source.
#include <fmt/format.h>

#include "command/session/methods.hpp"
#include "render/render_found.hpp"
#include "render/render_status.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::serve {
namespace {

Failure not_delivered() { return Failure(Errc::cancelled, "cancelled while the client did not read"); }

Answer follow(Asking asking, std::shared_ptr<ClusterWatch> following) {
  for (;;) {
    const Result<ClusterChange> change = co_await following->try_next();
    if (!change) {
      following->close();
      co_return change.error();
    }
    std::string members = ",\"change\":" + render_change_json(*change, std::chrono::system_clock::now());
    // Of changes that arrive together only the last contains the cluster, which can be large.
    if (following->untaken() == 0) members += ",\"cluster\":" + following->status().spec().to_json();
    const bool is_sent = co_await asking.send_event("change", std::move(members));
    if (!is_sent) {
      following->close();
      co_return not_delivered();
    }
  }
}

Answer search(Asking asking, std::shared_ptr<FoundStream> stream) {
  std::size_t found = 0;
  std::size_t missing = 0;
  for (;;) {
    const Result<std::optional<Found>> item = co_await stream->try_next();
    if (!item && item.error().code() == Errc::cancelled) co_return item.error();
    if (item && !*item) break;
    std::string_view event = "found";
    std::string members;
    if (item) {
      ++found;
      members = ",\"found\":" + render_found_json(**item);
    } else {
      ++missing;
      event = "missing";
      members = ",\"failure\":" + render_failure_json(TargetFailure(std::string(), item.error()));
    }
    const bool is_sent = co_await asking.send_event(event, std::move(members));
    if (!is_sent) co_return not_delivered();
  }
  co_return fmt::format("{{\"found\":{},\"missing\":{}}}", found, missing);
}

}  // namespace

Result<Answer> begin_watch(Asking asking, Question& question) {
  Result<std::shared_ptr<ClusterResolver>> resolver = asking.make_cluster(question);
  if (!resolver) return resolver.error();
  WatchOptions options;
  options.until(question.until).members(question.members).machine_notices(question.wants_notices);
  options.request_options(asking.call_options(question));
  asking.open_window(question.window);
  return follow(asking, watch(std::move(*resolver), std::move(options)));
}

Result<Answer> begin_discover(Asking asking, Question& question) {
  if (asking.arguments().api) question.search.api_version(*asking.arguments().api);
  if (question.search.projects().empty() && !asking.arguments().project.empty()) question.search.projects({asking.arguments().project});
  const Result<void> fine = check_discovery(question.search);
  if (!fine) return fine.error();
  asking.open_window(question.window);
  return search(asking, discover(asking.runtime(), std::move(question.search), asking.call_options(question)));
}

}  // namespace rollcall::serve
