// 10,000 pods in one answer: the cost of the Kubernetes resolver beyond Boost.JSON's event parser alone on the same bytes, its memory while
// they stream in, and the longest turn of the loop.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <map>
#include <utility>
#include <vector>

#include "long_answer.hpp"
#include "measure.hpp"
#include "pod_bytes.hpp"
#include "rollcall/kubernetes_resolver.hpp"

using namespace rollcall;

namespace {

constexpr int pods = 10'000;
// As long as a service account's: all received text is searched for it.
constexpr std::size_t token_size = 1000;

// The bytes in a server's order: by name.
std::string answer(bool has_managed_fields) {
  std::map<std::string, std::string> by_name;
  for (int i = 0; i < pods; ++i) {
    std::string text = bench::pod_text(i, has_managed_fields);
    by_name.emplace(text.substr(0, 80), std::move(text));
  }
  std::string body = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"88700"},"items":[)";
  for (auto& [name, text] : by_name) {
    body += text;
    body += ',';
  }
  body.back() = ']';
  return body + "}";
}

bool measure(bool has_managed_fields) {
  const std::string body = answer(has_managed_fields);
  // In alternating rounds, so that other load of the machine affects both.
  std::vector<double> alone;
  std::vector<double> seconds;
  std::vector<double> max;
  long growth = 0;
  for (int run = 0; run < bench::rounds_of(15); ++run) {
    alone.push_back(bench::parser_alone(body));
    asio::io_context io{1};
    RuntimeOptions options;
    const auto transport = std::make_shared<bench::PieceTransport>(body);
    transport->short_answer = [](const HttpRequest& request) { return bench::workload_text(request.url.target, pods); };
    options.http = transport;
    options.credentials = static_token(Secret<std::string>(std::string(token_size, 'x')));
    const Runtime runtime(io.get_executor(), std::move(options));
    KubernetesOptions what;
    what.job("worker", {bench::pods_selector}).api_server("https://k8s.test").namespace_name("train");
    const auto resolver = make_kubernetes_resolver(runtime, what);
    const long before = bench::heap_kb();
    const double start = bench::cpu_seconds();
    int tasks = 0;
    std::string problem;
    asio::co_spawn(io, resolver->try_cluster_spec(), [&](std::exception_ptr, Result<ClusterSpec> spec) {
      if (spec) tasks = spec->num_tasks("worker").value();
      if (!spec) problem = spec.error().message();
      transport->peak_kb = std::max(transport->peak_kb, bench::heap_kb());
    });
    double max_turn = 0;
    double now = start;
    while (io.run_one() > 0) {
      const double before_turn = std::exchange(now, bench::cpu_seconds());
      max_turn = std::max(max_turn, now - before_turn);
    }
    seconds.push_back(now - start);
    max.push_back(max_turn);
    bench::record(has_managed_fields ? "hold_managed_ms" : "hold_ms", max_turn * 1e3);
    bench::record(has_managed_fields ? "parsed_managed_ms" : "parsed_ms", seconds.back() * 1e3);
    bench::record(has_managed_fields ? "parser_managed_ms" : "parser_ms", alone.back() * 1e3);
    growth = std::max(growth, transport->peak_kb - before);
    if (tasks != pods) {
      fmt::print("{} tasks instead of {}: {}\n", tasks, pods, problem);
      return false;
    }
  }
  const double ratio = bench::median(seconds) / bench::median(alone);
  fmt::print(
      "{:.1f} MB, {} managedFields: {:.1f} ms of CPU, {:.2f}× the parser alone ({:.1f} ms); +{:.1f} MB of heap; longest turn of the loop, "
      "with pieces of {} kB: {:.2f} ms of CPU\n",
      static_cast<double>(body.size()) / 1e6, has_managed_fields ? "with" : "without", bench::median(seconds) * 1e3, ratio,
      bench::median(alone) * 1e3, static_cast<double>(growth) / 1024, bench::piece_size / 1024, bench::median(max) * 1e3);
  return ratio <= 1.3 && growth <= 16 * 1024 && bench::median(max) <= 1e-3;
}

}  // namespace

int main() {
  const bool is_small_fine = measure(false);
  const bool is_large_fine = measure(true);
  return is_small_fine && is_large_fine ? 0 : 1;
}
