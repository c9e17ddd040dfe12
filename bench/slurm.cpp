// 10,000 jobs of Slurm found by one list: the cost beyond Boost.JSON's event parser alone on the same bytes, and the memory while they
// stream in.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <vector>

#include "long_answer.hpp"
#include "measure.hpp"
#include "rollcall/discover.hpp"

using namespace rollcall;

namespace {

constexpr int slurm_jobs = 10'000;

// A job as v0.0.42 writes it: about 140 fields, indented by two blanks.
std::string job_text(int id) {
  std::string text = fmt::format(
      "    {{\n      \"job_id\": {0},\n      \"name\": \"train-{0}\",\n      \"user_name\": \"user{1}\",\n      \"partition\": \"main\",\n"
      "      \"job_state\": [\n        \"RUNNING\"\n      ],\n      \"nodes\": \"n[{0}-{2}]\",\n      \"node_count\": {{\n"
      "        \"set\": true,\n        \"infinite\": false,\n        \"number\": 2\n      }},\n      \"gres_detail\": [\n"
      "        \"gpu:h100:8(IDX:0-7)\",\n        \"gpu:h100:8(IDX:0-7)\"\n      ]",
      id, id % 50, id + 1);
  for (int i = 0; i < 60; ++i) {
    text += fmt::format(
        ",\n      \"number_field_{0}\": {{\n        \"set\": true,\n        \"infinite\": false,\n        \"number\": {0}\n      }}", i);
  }
  for (int i = 0; i < 70; ++i) text += fmt::format(",\n      \"text_field_{}\": \"\\/home\\/user\\/run\\/{}\"", i, i);
  return text + "\n    }";
}

std::string list_of_jobs() {
  std::string body = "{\n  \"jobs\": [\n";
  for (int id = 1; id <= slurm_jobs; ++id) body += job_text(id) + (id < slurm_jobs ? ",\n" : "\n");
  return body + "  ],\n  \"errors\": [\n  ],\n  \"warnings\": [\n  ]\n}\n";
}

asio::awaitable<Result<int>> count_finds(std::shared_ptr<FoundStream> stream) {
  int count = 0;
  for (;;) {
    Result<std::optional<Found>> item = co_await stream->try_next();
    if (!item) co_return item.error();
    if (!*item) co_return count;
    ++count;
  }
}

}  // namespace

int main() {
  const std::string body = list_of_jobs();
  std::vector<double> alone;
  std::vector<double> seconds;
  long growth = 0;
  // In alternating rounds, so that other load of the machine affects both.
  for (int run = 0; run < bench::rounds_of(7); ++run) {
    alone.push_back(bench::parser_alone(body));
    asio::io_context io{1};
    RuntimeOptions options;
    const auto transport = std::make_shared<bench::PieceTransport>(body);
    options.http = transport;
    const Runtime runtime(io.get_executor(), std::move(options));
    const long before = bench::heap_kb();
    const double start = bench::cpu_seconds();
    int found = 0;
    std::string problem;
    const auto stream = discover(runtime, DiscoverOptions().slurm("restd=unix:/run/restd"));
    asio::co_spawn(io, count_finds(stream), [&](std::exception_ptr, Result<int> count) {
      if (count) found = *count;
      if (!count) problem = count.error().message();
      transport->peak_kb = std::max(transport->peak_kb, bench::heap_kb());
    });
    io.run();
    seconds.push_back(bench::cpu_seconds() - start);
    bench::record("slurm_ms", seconds.back() * 1e3);
    bench::record("slurm_parser_ms", alone.back() * 1e3);
    growth = std::max(growth, transport->peak_kb - before);
    bench::record("slurm_memory_mb", static_cast<double>(growth) / 1024);
    if (found != slurm_jobs) {
      fmt::print("{} jobs instead of {}: {}\n", found, slurm_jobs, problem);
      return 1;
    }
  }
  const double ratio = bench::median(seconds) / bench::median(alone);
  fmt::print("{:.1f} MB: {:.1f} ms of CPU, {:.2f}× the parser alone ({:.1f} ms); +{:.1f} MB of heap\n",
             static_cast<double>(body.size()) / 1e6, bench::median(seconds) * 1e3, ratio, bench::median(alone) * 1e3,
             static_cast<double>(growth) / 1024);
  return growth <= 64 * 1024 ? 0 : 1;
}
