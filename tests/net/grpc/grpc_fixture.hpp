// A client of gRPC servers, on a loop of its own that runs until its call has ended.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/grpc/grpc_transport.hpp"

namespace rollcall::testing {

constexpr const char* status_method = "/tensorflow.WorkerService/GetStatus";

class GrpcFixture {
 public:
  explicit GrpcFixture(NetworkOptions network = {})
      : time(system_time()), timers(std::make_shared<TimerQueue>(time, io.get_executor())),
        transport(make_grpc_transport(io.get_executor(), timers, std::move(network), file_system())) {}

  Result<RpcAnswer> call(const std::string& address, Duration patience = std::chrono::seconds(20), bool is_tls = false) {
    RpcRequest request(address, status_method);
    request.is_tls = is_tls;
    RpcOptions options;
    options.deadline = time->now() + patience;
    std::optional<Result<RpcAnswer>> answer;
    asio::co_spawn(io, transport->call(request, options), [&](std::exception_ptr error, Result<RpcAnswer> result) {
      if (error) std::rethrow_exception(error);
      answer.emplace(std::move(result));
    });
    io.restart();
    while (!answer && io.run_one() > 0) {
    }
    REQUIRE(answer);
    return *answer;
  }

  asio::io_context io{1};
  std::shared_ptr<TimeSource> time;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<RpcTransport> transport;
};

}  // namespace rollcall::testing
