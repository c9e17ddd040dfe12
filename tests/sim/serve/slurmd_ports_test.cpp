// The ports of simulated Slurm nodes on real sockets.
#include <asio/ip/tcp.hpp>

#include "rollcall/sim/server.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/support.hpp"

namespace rollcall::sim {
namespace {

const std::string slurmd_host = "127.0.1.77";

std::uint16_t free_slurmd_port() {
  asio::io_context io;
  asio::ip::tcp::acceptor acceptor(io, asio::ip::tcp::endpoint(asio::ip::make_address(slurmd_host), 0));
  return acceptor.local_endpoint().port();
}

std::error_code connect_slurmd(std::uint16_t port) {
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  std::error_code error;
  socket.connect(asio::ip::tcp::endpoint(asio::ip::make_address(slurmd_host), port), error);
  return error;
}

std::string slurm_node_at(std::uint16_t port) {
  return R"({"slurm": {"nodes": [{"name": "n1"}, {"name": "n2", "address": ")" + slurmd_host + R"(", "port": )" + std::to_string(port) +
         R"(, "timeline": [{"at": 30, "answers": false}, {"at": 60, "answers": true}]}], "jobs": [{"id": 7, "nodes": "n[1-2]"}]}})";
}

Result<std::shared_ptr<SimServer>> start_slurm(testing::VirtualLoop& loop, const std::string& text) {
  SimServerOptions options;
  options.time = loop.time;
  return SimServer::start(loop.io.get_executor(), testing::value_of(Cloud::parse(text)), options);
}

}  // namespace

TEST_CASE("a Slurm node at an address of this machine takes connections while it answers") {
  const std::uint16_t port = free_slurmd_port();
  testing::VirtualLoop loop;
  const auto server = testing::value_of(start_slurm(loop, slurm_node_at(port)));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(connect_slurmd(port));
  loop.poll();
  loop.time->advance(std::chrono::seconds(31));
  loop.poll();
  CHECK(connect_slurmd(port) == asio::error::connection_refused);
  loop.time->advance(std::chrono::seconds(30));
  loop.poll();
  CHECK_FALSE(connect_slurmd(port));
  server->stop();
  loop.poll();
  CHECK(connect_slurmd(port) == asio::error::connection_refused);
}

TEST_CASE("a port of a Slurm node that is in use is reported, and so are too many of them") {
  testing::VirtualLoop loop;
  asio::io_context io;
  asio::ip::tcp::acceptor taken(io, asio::ip::tcp::endpoint(asio::ip::make_address(slurmd_host), 0));
  const auto started = start_slurm(loop, slurm_node_at(taken.local_endpoint().port()));
  testing::check_failure(started, Errc::failed_precondition, "Address already in use");
  std::string nodes;
  for (int i = 0; i < 300; ++i) {
    nodes += (i == 0 ? "" : ", ") + std::string(R"({"name": "n)") + std::to_string(i) + R"(", "address": "127.0.9.)" +
             std::to_string(i % 250) + R"(", "port": )" + std::to_string(20'000 + i) + "}";
  }
  testing::check_failure(start_slurm(loop, R"({"slurm": {"nodes": [)" + nodes + "]}}"), Errc::limit_exceeded, "256 Slurm nodes");
}

}  // namespace rollcall::sim
