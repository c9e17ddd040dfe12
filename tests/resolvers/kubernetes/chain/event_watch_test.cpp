// Warnings that are heard of as they happen.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string failed_create(const std::string& name) {
  return fmt::format(
      R"({{"involvedObject":{{"kind":"Job","namespace":"train","name":"{0}","uid":"job-{0}"}},"reason":"FailedCreate","message":"exceeded quota: gpus","type":"Warning"}})",
      name);
}

// When a wait for a Job of two names the quota, if the events are watched with this answer; the time-out if it does not.
Duration named_after(int status, const std::string& lines, int* watches = nullptr) {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(2)));
  const auto usual = api.transport->respond;
  int asked = 0;
  api.transport->respond = [&](const HttpRequest& request) {
    const std::string& target = request.url.target;
    if (target.find("/events?") == std::string::npos) return usual(request);
    if (target.find("watch=1") != std::string::npos) {
      ++asked;
      return ScriptedTransport::Answer(ScriptedTransport::reply(status, lines));
    }
    return ScriptedTransport::Answer(ScriptedTransport::reply(200, R"({"items":[)" + failed_create("t") + "]}"));
  };
  Duration first = 10s;
  check_failure(api.wait(api.named("job", "t"), WaitOptions().on_progress([&first](const WaitProgress& progress) {
    const bool is_named = progress.line().find("exceeded quota: gpus") != std::string::npos;
    if (is_named && first == 10s) first = progress.at - progress.started;
  })),
                Errc::deadline_exceeded, "exceeded quota: gpus");
  if (watches) *watches = asked;
  return first;
}

}  // namespace

TEST_CASE("a cause that only an event gives is named within two seconds of the event") {
  CHECK(named_after(200, R"({"type":"ADDED","object":)" + failed_create("t") + "}\n") < 2s);
}

TEST_CASE("without a watch of events, or with events about others, causes are looked for after a while") {
  int watches = 0;
  const auto is_late = [](Duration time) { return time >= 4s && time < 7s; };
  CHECK(is_late(named_after(403, status_json(403, "Forbidden", "forbidden"), &watches)));
  CHECK(watches == 1);
  CHECK(is_late(named_after(500, "", &watches)));
  CHECK(is_late(named_after(200, "not JSON\n")));
  const std::string other =
      R"({"type":"ADDED","object":{"involvedObject":{"kind":"Pod","name":"x","uid":"x"},"reason":"BackOff","type":"Warning"}})";
  CHECK(is_late(named_after(200, other + "\n")));
}
