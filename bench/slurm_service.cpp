// A service that follows 10,000 jobs of a Slurm with 10,000 nodes: the CPU of a round in which nothing has changed, which is one list of
// states, and the memory with all of them known. In virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/service/service_resolvers.hpp"
#include "measure.hpp"
#include "rollcall/http.hpp"
#include "rollcall/target.hpp"
#include "virtual_time.hpp"

using namespace rollcall;

namespace {

constexpr int followed_jobs = 10'000;
constexpr int slurm_nodes = 10'000;

// One number as v0.0.45 writes it.
std::string number_text(std::int64_t number) { return fmt::format(R"({{"set": true, "infinite": false, "number": {}}})", number); }

std::string followed_job_text(int id) {
  const bool runs = id % 2 == 0;
  return fmt::format(
      R"({{"job_id": {}, "name": "train-{}", "user_name": "user{}", "partition": "main", "job_state": ["{}"], "state_reason": "{}",)"
      R"( "nodes": "{}", "node_count": {}, "submit_time": {}, "time_limit": {}}})",
      id, id, id % 50, runs ? "RUNNING" : "PENDING", runs ? "None" : "Priority", runs ? fmt::format("n{}", id) : "", number_text(1),
      number_text(1'700'000'000), number_text(600));
}

template <class Text>
std::string list_text(std::string_view key, int count, Text text) {
  std::string body = fmt::format(R"({{"{}": [)", key);
  for (int id = 1; id <= count; ++id) body += (id > 1 ? ",\n" : "\n") + text(id);
  return body + fmt::format(R"(], "last_update": {}, "errors": [], "warnings": []}})", number_text(1'700'000'000));
}

// A slurmrestd whose answers are ready.
class ReadySlurm final : public HttpTransport {
 public:
  std::size_t lists = 0;
  std::size_t states = 0;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "streams only");
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions&) override {
    std::unique_ptr<HttpStream> stream = answer(request.url.target);
    co_return std::move(stream);
  }
  void close() override {}

 private:
  class Stream final : public HttpStream {
   public:
    Stream(int status, std::string one, const std::string* shared) : own_(std::move(one)), body_(shared ? *shared : own_) {
      head_.status = status;
      head_.headers.add("content-type", "application/json");
    }
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);  // as a socket that is ready
      const std::string_view piece = std::string_view(body_).substr(at_, std::size_t{64} * 1024);
      at_ += piece.size();
      co_return piece;
    }

   private:
    HttpResponse head_;
    std::string own_;
    const std::string& body_;
    std::size_t at_ = 0;
  };

  std::unique_ptr<HttpStream> answer(std::string_view target) {
    const auto has = [target](std::string_view part) { return target.find(part) != std::string_view::npos; };
    if (has("/jobs/state")) return ++states, std::make_unique<Stream>(200, "", &states_);
    if (has("/jobs")) return ++lists, std::make_unique<Stream>(200, "", &jobs_);
    if (has("/nodes?update_time")) return std::make_unique<Stream>(304, "", nullptr);
    if (has("/nodes")) return std::make_unique<Stream>(200, "", &nodes_);
    const int id = std::atoi(target.substr(target.rfind('/') + 1).data());
    if (has("/job/"))
      return std::make_unique<Stream>(200, fmt::format(R"({{"jobs": [{}], "errors": []}})", followed_job_text(id)), nullptr);
    return std::make_unique<Stream>(200, R"({"partitions": [{"name": "main"}], "reservations": [], "errors": []})", nullptr);
  }

  const std::string jobs_ = list_text("jobs", followed_jobs, followed_job_text);
  const std::string states_ = list_text("jobs", followed_jobs, [](int id) {
    return fmt::format(R"({{"job_id": "{}", "state": ["{}"]}})", id, id % 2 == 0 ? "RUNNING" : "PENDING");
  });
  const std::string nodes_ = list_text("nodes", slurm_nodes, [](int id) {
    return fmt::format(
        R"({{"name": "n{}", "address": "n{}", "port": 6818, "state": ["{}"], "partitions": ["main"], "gres": "gpu:h100:8", "reason": ""}})",
        id, id, id % 2 == 0 ? "MIXED" : "IDLE");
  });
};

class Follower final : public fleet::TopicListener {
 public:
  void on_topic() noexcept override {}
};

}  // namespace

int main() {
  const auto slurm = std::make_shared<ReadySlurm>();
  asio::io_context io{1};
  const auto time = std::make_shared<rollcall::testing::FakeTime>();
  RuntimeOptions options;
  options.http = slurm;
  options.time = time;
  const Runtime runtime(io.get_executor(), std::move(options));
  FleetSlurm place;
  place.cluster = "roll";
  place.restd = "unix:/run/restd";
  fleet::FleetOptions fleet_options;
  fleet_options.max_targets = followed_jobs;
  const long before = bench::heap_kb();
  const auto fleet = fleet::make_fleet(runtime, std::move(fleet_options), fleet::service_resolvers({place}));
  std::vector<Follower> followers(followed_jobs);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int id = 1; id <= followed_jobs; ++id) {
    auto topic = fleet->topic(Target::parse(fmt::format("slurm:job/{},cluster=roll", id)).value());
    if (!topic) {
      fmt::print("{}\n", topic.error().message());
      return 1;
    }
    topics.push_back(*topic);
    topics.back()->listen(followers[static_cast<std::size_t>(id - 1)]);
  }
  bench::run_until(io, *time, time->now() + std::chrono::minutes(2));
  std::size_t known = 0;
  for (const auto& topic : topics) known += topic->known().status ? 1 : 0;
  const double memory = static_cast<double>(bench::heap_kb() - before) / 1024;
  std::vector<double> rounds;
  for (int run = 0; run < bench::rounds_of(7); ++run) {
    const std::size_t states = slurm->states;
    const double start = bench::cpu_seconds();
    bench::run_until(io, *time, time->now() + std::chrono::seconds(60));
    rounds.push_back((bench::cpu_seconds() - start) / static_cast<double>(std::max<std::size_t>(slurm->states - states, 1)));
    bench::record("slurm_round_ms", rounds.back() * 1e3);
    bench::record("slurm_service_mb", memory);
  }
  fmt::print("{} of {} jobs known by {} lists; a round {:.1f} ms of CPU, {} rounds; +{:.1f} MB of heap\n", known, followed_jobs,
             slurm->lists, bench::median(rounds) * 1e3, slurm->states, memory);
  followers.clear();
  fleet->close();
  bench::run_until(io, *time, time->now());
  return known == followed_jobs && memory <= 256 ? 0 : 1;
}
