// One client's session, in virtual time: answers, events and refusals.
#include "command/session/client.hpp"
#include "command/session/log_events.hpp"

using namespace rollcall;
using namespace rollcall::serve;
using Catch::Contains;
using rollcall::testing::Client;

TEST_CASE("questions are answered side by side, as they end") {
  Client client;
  client.ask("1", "wait", R"({"targets":["tpu:trainer"]})");
  CHECK_THAT(client.read(), Contains("0/4 ready · waiting for worker 0-3: CREATING"));
  client.ask("\"b\"", "resolve", R"({"targets":["simple:job.worker=a:1"]})");
  CHECK(client.read() == R"({"jsonrpc":"2.0","id":"b","result":{"cluster":{"worker":["a:1"]},"failures":[]}})"
                         "\n");
  client.advance_to(9);
  const std::string reported = client.read();
  CHECK_THAT(reported, Contains(R"("line":"4/4 ready")"));
  CHECK_THAT(reported, Contains(R"("id":1,"result":{"status":{"phase":"running","state":{"level":"ready")"));
  CHECK(reported.rfind("progress") < reported.rfind("result"));
}

TEST_CASE("a request that is cancelled is answered once, and an id can be used again then") {
  Client client;
  client.ask("1", "wait", R"({"targets":["tpu:trainer"],"progress":false})");
  CHECK(client.read().empty());
  client.ask("1", "wait", R"({"targets":["tpu:trainer"]})");
  CHECK(client.refusal() == "null -32600: id 1 is in use");
  client.send(R"({"jsonrpc":"2.0","id":1,"method":5})");
  CHECK(client.refusal() == "null -32600: method is a number, not a text");
  client.cancel("2");
  CHECK(client.read().empty());
  client.cancel("1");
  const boost::json::value answer = client.read_one();
  CHECK(answer.at("id") == 1);
  CHECK(answer.at("error").at("data").at("code") == "cancelled");
  CHECK(answer.at("error").at("data").at("progress").at("total") == 4);
  client.cancel("1");
  client.advance_to(60);
  CHECK(client.read().empty());
  client.ask("1", "wait", R"({"targets":["tpu:trainer"],"progress":false})");
  CHECK_THAT(client.read(), Contains("result"));
}

TEST_CASE("at the deadline a wait names the missing members") {
  Client client;
  client.ask("1", "wait", R"({"targets":["tpu:half"],"until":"reachable","timeout":8,"progress":false})");
  client.advance_to(20);
  const boost::json::value answer = client.read_one();
  const boost::json::value& error = answer.at("error");
  CHECK(error.at("code") == -32000);
  CHECK_THAT(std::string(error.at("message").as_string()), Contains("worker 1 (127.83.1.6:8470): connection refused"));
  CHECK(error.at("data").at("target") == "tpu:half");
  CHECK(error.at("data").at("code") == "deadline_exceeded");
  CHECK(error.at("data").at("progress").at("ready") == 1);
  CHECK(error.at("data").at("progress").at("missing").at(0).at("index") == 1);
}

TEST_CASE("what is asked wrongly is refused by name, and nothing is asked") {
  Client client;
  for (const auto& [method, params, refusal] : {
           std::tuple("wiat", "{}", "9 -32601: unknown method 'wiat'"),
           std::tuple("wait", R"({"targets":[]})", "9 -32602: targets: the list is empty"),
           std::tuple("wait", R"({"targets":["tpu:a"],"untill":"state"})", "9 -32602: unknown parameter 'untill'"),
           std::tuple("wait", R"({"targets":["tpu:a"],"until":"steady"})", "9 -32602: until: "),
           std::tuple("wait", R"({"targets":["tpu:a"],"members":0})", "9 -32602: members: is no whole number from 1 to 65536"),
           std::tuple("wait", R"({"targets":["tpu:a"],"timeout":-1})", "9 -32602: timeout: -1 is no time"),
           std::tuple("resolve", R"({"targets":"tpu:a"})", "9 -32602: targets: is a text, not a list of texts"),
           std::tuple("resolve", R"({"targets":["tpx:a"]})", "9 -32602: 'tpx:a' has an unknown scheme, 'tpx'"),
           std::tuple("resolve", R"({"targets":["tpu:a"],"partial":true,"list":true})", "9 -32602: partial asks each target on its own"),
           std::tuple("devices", R"({"targets":["tpu:a"],"source":"devise"})", "9 -32602: source: 'devise' is not accepted"),
           std::tuple("discover", R"({"kinds":["tpus"]})", "9 -32602: kinds: 'tpus' is not accepted"),
           std::tuple("discover", R"({"kinds":"tpu"})", "9 -32602: kinds: is a text, not a list of texts"),
           std::tuple("discover", R"({"filters":["nmae=a"]})", "9 -32602: the filter 'nmae=a' has no known key"),
           std::tuple("topology", "{}", "9 -32602: give either accelerator_type or target"),
           std::tuple("topology", R"({"accelerator_type":"v99-1"})", "9 -32602: accelerator_type: "),
           std::tuple("topology", R"({"target":"gce:a"})", "9 -32602: 'gce:a' names no TPU"),
           std::tuple("doctor", R"({"target":"tpu"})", "9 -32602: 'tpu' lacks its colon"),
           std::tuple("cancel", R"({"id":1})", "9 -32600: cancel is a notification: it has no id of its own"),
       }) {
    INFO(method << params);
    client.ask("9", method, params);
    CHECK_THAT(client.refusal(), Catch::StartsWith(refusal));
  }
  client.send(R"({"jsonrpc":"2.0","method":"wait"})");
  CHECK(client.refusal() == "null -32600: wait has no id: no answer could be sent");
  client.send(R"({"jsonrpc":"2.0","method":"wiat"})");
  CHECK(client.refusal() == "null -32601: unknown method 'wiat'");
  client.send(R"({"jsonrpc":"2.0","method":"cancel"})");
  CHECK(client.refusal() == "null -32602: params.id is missing");
  client.send(R"({"jsonrpc":"2.0","method":"cancel","params":{"id":1,"reason":"x"}})");
  CHECK(client.refusal() == "null -32602: unknown parameter 'reason'");
  client.session.take(Line({}, true));
  CHECK(client.refusal() == "null -32600: the line is longer than 1048576 bytes");
  CHECK(client.cloud->counts().empty());
}

TEST_CASE("a stream with a window sends no more events than the client accepts, and delays no other request") {
  Client client;
  const auto lines = [&client] {
    const std::string text = client.read();
    return std::count(text.begin(), text.end(), '\n');
  };
  client.ask("1", "watch", R"({"targets":["simple:job.worker=a:1+b:1+c:1+d:1"],"notices":false,"window":2})");
  CHECK(lines() == 2);
  client.ask("2", "resolve", R"({"targets":["simple:job.worker=a:1"]})");
  CHECK_THAT(client.read(), Contains(R"("id":2,"result")"));
  client.send(R"({"jsonrpc":"2.0","method":"more","params":{"id":1,"events":1}})");
  CHECK_THAT(client.read(), Contains("worker 2"));
  client.send(R"({"jsonrpc":"2.0","method":"more","params":{"id":7,"events":1}})");  // it may have ended
  CHECK(lines() == 0);
  client.send(R"({"jsonrpc":"2.0","method":"more","params":{"id":1,"events":1000000}})");
  CHECK(lines() == 2);
  client.ask("3", "watch", R"({"targets":["simple:job.worker=a:1"],"notices":false,"window":1})");
  CHECK(lines() == 1);
  client.cancel("3");
  CHECK(client.read_one().at("error").at("data").at("code") == "cancelled");
  client.ask("4", "watch", R"({"targets":["simple:job.worker=a:1"],"notices":false})");
  CHECK(lines() == 2);
  for (const auto& [params, refusal] : {
           std::pair(R"({"id":4,"events":1})", "null -32600: request 4 has no window"),
           std::pair(R"({"id":1,"events":0})", "null -32602: events: is no whole number from 1 to 1000000"),
           std::pair(R"({"id":1})", "null -32602: events: is missing"),
           std::pair(R"({"events":1})", "null -32602: params.id is missing"),
           std::pair(R"({"id":1,"evens":1})", "null -32602: unknown parameter 'evens'"),
       }) {
    client.send(fmt::format(R"({{"jsonrpc":"2.0","method":"more","params":{}}})", params));
    CHECK(client.refusal() == refusal);
  }
  client.ask("9", "watch", R"({"targets":["tpu:half"],"window":0})");
  CHECK(client.refusal() == "9 -32602: window: is no whole number from 1 to 1000000");
}

TEST_CASE("of many targets those without an answer are named") {
  Client client;
  client.ask("1", "resolve", R"({"targets":["simple:job.a=a:1","tpu:nobody","simple:","simple:job.a=b:1"],"partial":true})");
  const boost::json::value answer = client.read_one();
  const boost::json::value& result = answer.at("result");
  CHECK(boost::json::serialize(result.at("cluster")) == R"({"a":["a:1","b:1"]})");
  REQUIRE(result.at("failures").as_array().size() == 2);
  CHECK(result.at("failures").at(0).at("target") == "tpu:nobody");
  CHECK(result.at("failures").at(0).at("code") == "not_found");
  client.ask("1", "devices", R"({"targets":["tpu:trainer","tpu:nobody"]})");
  CHECK(client.read_one().at("error").at("data").at("target") == "tpu:nobody");
}

TEST_CASE("a watch reports each change, and the cluster with the last of those that arrive together") {
  Client client;
  client.ask("1", "watch", R"({"targets":["tpu:half"],"notices":false})");
  std::istringstream lines(client.read());
  std::vector<boost::json::value> changes;
  for (std::string line; std::getline(lines, line);) changes.push_back(boost::json::parse(line).at("params"));
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].at("change").at("change") == "member_joined");
  CHECK(!changes[0].as_object().contains("cluster"));
  CHECK(changes[2].at("change").at("change") == "cluster_ready");
  CHECK(changes[2].at("cluster").at("worker").as_array().size() == 2);
  client.cancel("1");
  CHECK(client.read_one().at("error").at("data").at("code") == "cancelled");
}

TEST_CASE("a search waits for a client that does not read, and loses nothing") {
  Client client;
  client.outbox.put(std::string(Outbox::room_for_events, 'x'));
  client.ask("1", "discover", R"({"kinds":["tpu"]})");
  CHECK(client.outbox.waiting() == Outbox::room_for_events);
  client.read();
  client.poll();
  const std::string reported = client.read();
  CHECK_THAT(reported, Contains(R"("method":"found","params":{"id":1,"found":{"kind":"tpu","name":"trainer")"));
  CHECK_THAT(reported, Contains(R"("id":1,"result":{"found":3,"missing":0}})"));
  client.outbox.put(std::string(Outbox::room_for_events, 'x'));
  client.ask("1", "discover", R"({"kinds":["tpu"]})");
  client.cancel("1");
  client.read();
  client.poll();
  client.ask("1", "discover", R"({"kinds":["tpu"]})");
  CHECK_THAT(client.read(), Contains("result"));
}

namespace {

std::string asked_server(Client& client, const char* target) {
  client.ask("1", "whoami", fmt::format(R"({{"targets":["{}"]}})", target));
  const boost::json::value answer = client.read_one();
  if (answer.as_object().contains("result")) return boost::json::serialize(answer.at("result"));
  const boost::json::value& data = answer.at("error").at("data");
  return fmt::format("{}: {}", std::string_view(data.at("code").as_string()), std::string_view(data.at("message").as_string()));
}

}  // namespace

TEST_CASE("this machine's task is found or refused, never guessed") {
  Client client;
  CHECK(asked_server(client, "simple:job.worker=a:1+b:1,type=worker,task=1") ==
        R"({"job":"worker","index":1,"address":"b:1","evidence":"simple says so"})");
  CHECK_THAT(asked_server(client, "simple:job.worker=198.51.100.1:1+198.51.100.2:1"),
             Catch::StartsWith("not_found: which task of simple this machine is cannot be told: no variable names this process's task (") &&
                 Contains("the candidates of the cluster are worker 0 (198.51.100.1:1), worker 1 (198.51.100.2:1); this machine is "));
  CHECK_THAT(asked_server(client, "tpu:half"), Catch::StartsWith("not_found: which task of tpu:half this machine is cannot be told: "));
}

TEST_CASE("this machine's task comes from a launcher's variable where no target has it") {
  constexpr const char* two = "simple:job.worker=198.51.100.1:1+198.51.100.2:1";
  Client torch(true, {{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  CHECK(asked_server(torch, two) == R"({"job":"worker","index":1,"address":"198.51.100.2:1","evidence":"RANK=1"})");
  CHECK(asked_server(torch, "simple:job.worker=a:1+b:1,type=worker,task=0") ==
        R"({"job":"worker","index":0,"address":"a:1","evidence":"simple says so"})");
  CHECK_THAT(asked_server(torch, "tpu:half"), Contains(R"("index":1)"));
  Client odd(true, {{"RANK", "x"}});
  CHECK_THAT(asked_server(odd, two),
             Catch::StartsWith("invalid_argument: which task of simple this machine is cannot be told: RANK is 'x', no number"));
  Client split(true, {{"RANK", "1"}, {"JAX_PROCESS_ID", "0"}});
  CHECK_THAT(asked_server(split, two), Contains("conflict: ") && Contains("RANK says worker 1, but JAX_PROCESS_ID says worker 0"));
  Client step(true, {{"SLURM_PROCID", "9"},
                     {"SLURM_STEP_NODELIST", "n[1-2]"},
                     {"SLURM_STEP_NUM_TASKS", "2"},
                     {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                     {"SLURM_STEP_NUM_NODES", "2"}});
  CHECK(asked_server(step, "slurm:") == "not_found: slurm: this process is none of the step's tasks");
}

TEST_CASE("no more requests than a session takes are answered at a time") {
  Client client;
  for (std::size_t i = 0; i < max_requests; ++i)
    client.ask(std::to_string(i), "wait", R"({"targets":["simple:job.worker=127.0.0.1:1"],"until":"reachable","progress":false})");
  client.ask("\"more\"", "status", R"({"targets":["simple:job.worker=a:1"]})");
  CHECK(client.refusal() == "\"more\" -32000: 16384 requests are being answered: no more at a time");
  client.session.end();
  client.poll();
  const std::string reported = client.read();
  CHECK(static_cast<std::size_t>(std::count(reported.begin(), reported.end(), '\n')) == max_requests);
  CHECK(client.times_over == 1);
}

TEST_CASE("what is ready to be answered waits until the client has read what was answered") {
  Client client;
  client.outbox.put(std::string(Outbox::room_for_answers, 'x'));
  const std::string targets = R"({"targets":["simple:job.worker=a:1"]})";
  for (const char* const method : {"resolve", "status", "devices"}) client.ask(fmt::format("\"{}\"", method), method, targets);
  client.ask("\"wait\"", "wait", R"({"targets":["simple:job.worker=a:1"],"progress":false})");
  client.ask("1", "launch", R"({"format":"plain","cluster":{"worker":["a:1"]}})");
  client.ask("2", "launch", R"({"format":"plain","targets":["simple:job.worker=a:1"]})");
  CHECK(client.outbox.waiting() == Outbox::room_for_answers);
  client.cancel("1");
  CHECK_THAT(client.read(), Catch::Contains("cancelled while the client did not read"));
  client.poll();
  const std::string reported = client.read();
  CHECK(std::count(reported.begin(), reported.end(), '\n') == 5);
  client.outbox.put(std::string(Outbox::room_for_answers, 'x'));
  client.ask("3", "resolve", targets);
  client.session.end();
  client.poll();
  CHECK(client.times_over == 1);
}

TEST_CASE("a session is over when all is answered: at once when the client goes, else in its time") {
  Client client;
  client.ask("1", "wait", R"({"targets":["tpu:trainer"],"progress":false})");
  client.session.finish();
  client.poll();
  CHECK(client.times_over == 0);
  client.advance_to(9);
  CHECK_THAT(client.read(), Contains("result"));
  CHECK(client.times_over == 1);
  client.session.end();
  CHECK(client.times_over == 1);
}

TEST_CASE("records of the log are dropped and counted while the client does not read") {
  Outbox outbox;
  LogEvents all(outbox, true);
  LogEvents warnings(outbox, false);
  Event event;
  event.subject = "tpu:a";
  warnings.on_event(event);
  CHECK(outbox.is_empty());
  all.on_event(event);
  CHECK_THAT(outbox.take(), Contains(R"({"jsonrpc":"2.0","method":"log","params":{"record":{"event":"call_started",)"));
  outbox.put(std::string(Outbox::room_for_events, 'x'));
  all.on_event(event);
  all.on_event(event);
  outbox.take();
  outbox.written(outbox.waiting());
  event.kind = EventKind::security_warning;
  warnings.on_event(event);
  CHECK_THAT(outbox.take(), !Contains("dropped"));
  all.on_event(event);
  CHECK_THAT(outbox.take(), Contains(R"("subject":"tpu:a"},"dropped":2}})"));
}
