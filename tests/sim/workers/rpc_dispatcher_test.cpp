// Calls between their arrival and their answer.
#include "sim/workers/rpc_dispatcher.hpp"

#include "rollcall/testing/virtual_loop.hpp"
#include "sim/workers/rpc_support.hpp"

namespace rollcall::sim {

namespace {

class DispatcherFixture {
 public:
  explicit DispatcherFixture(const std::string& worker)
      : cloud(cloud_of("{\"workers\": [{\"address\": \"10.0.0.2\"}, {\"address\": \"10.0.0.3\"" + worker + "}]}")),
        dispatcher(std::make_shared<RpcDispatcher>(cloud, std::make_shared<TimerQueue>(loop.time, loop.io.get_executor()),
                                                   loop.io.get_executor(),
                                                   [this](std::uint64_t id, const RpcReply&) { answered.push_back(id); })) {}

  testing::VirtualLoop loop;
  std::vector<std::uint64_t> answered;
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<RpcDispatcher> dispatcher;
};

}  // namespace

TEST_CASE("a closed dispatcher drops new calls, and the waiting ones") {
  DispatcherFixture f(R"(, "delay": 5)");
  f.dispatcher->begin(1, rpc_request("10.0.0.3:8470", get_status));
  CHECK(f.loop.time->alarms() == 1);
  f.dispatcher->close();
  f.dispatcher->begin(2, rpc_request("10.0.0.3:8470", get_status));
  CHECK(f.loop.time->alarms() == 0);
  f.loop.time->advance(std::chrono::seconds(10));
  f.loop.poll();
  CHECK(f.answered.empty());
}

TEST_CASE("a change of the cloud repeats waiting calls, except forgotten ones") {
  DispatcherFixture f(R"(, "fault": "stall", "times": 1)");
  f.dispatcher->begin(1, rpc_request("10.0.0.2:8470", list_devices));
  f.dispatcher->begin(2, rpc_request("10.0.0.2:8470", list_devices));
  f.dispatcher->forget(2);
  f.dispatcher->begin(3, rpc_request("10.0.0.3:8470", get_status));  // uses up the stall
  f.loop.poll();
  CHECK(f.answered == std::vector<std::uint64_t>{1});
}

}  // namespace rollcall::sim
