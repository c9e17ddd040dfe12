#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/simple_resolver.hpp"

namespace rollcall {
namespace {

Result<void> read_accelerators(const TargetValue& value, SimpleOptions& options) {
  std::map<std::string, int, std::less<>> counts;
  for (const std::string& item : value.items) {
    const std::size_t colon = item.rfind(':');
    const auto count = colon == std::string::npos ? std::nullopt : parse_decimal<int>(std::string_view(item).substr(colon + 1));
    const bool is_new = count && colon > 0 && counts.emplace(item.substr(0, colon), *count).second;
    if (!is_new) {
      return value.wrong(fmt::format("is not one TYPE:N for each type: {}", quoted(item)), 80)
          .with_hint("num_accelerators=GPU:4 or num_accelerators=GPU:4+TPU:8");
    }
  }
  options.num_accelerators(AcceleratorCounts(std::move(counts), CountSource::given));
  return {};
}

// clang-format off
constexpr TargetKeys simple_keys(
    text_key("type", &SimpleOptions::task_type, "this task's job"),
    task_key("task", &SimpleOptions::task_id, "this task's index"),
    text_key("master", &SimpleOptions::master, "the master when no task is named"),
    text_key("rpc_layer", &SimpleOptions::rpc_layer, "such as grpc"),
    text_key("environment", &SimpleOptions::environment, "such as google"),
    own_key("num_accelerators", read_accelerators, "of every task, TYPE:N or TYPE:N+TYPE:N; default: none"));
// clang-format on

// A number outside the range of ports is a mistake. An address without a port is allowed, since its meaning is the user's.
bool has_impossible_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? std::string_view() : address.substr(colon + 1);
  return !port.empty() && std::all_of(port.begin(), port.end(), is_digit) && !Endpoint::parse(address) &&
         !parse_decimal<std::uint16_t>(port, 1);
}

Result<ClusterSpec> read_simple_jobs(const Target& target) {
  ClusterSpec spec;
  for (const auto& [key, items] : target.options) {
    if (!key.starts_with("job.")) continue;
    if (std::find(items.begin(), items.end(), "") != items.end()) {
      const std::string shown = printable(key, 80);
      return TargetValue{target, shown, items}.wrong("has an empty address", 80).with_hint("one + stands between two addresses");
    }
    if (const auto wrong = std::find_if(items.begin(), items.end(), has_impossible_port); wrong != items.end())
      return Failure(Errc::invalid_argument,
                     fmt::format("simple: {} has {}, whose port is not one of 1 to 65535", printable(key, 80), quoted(*wrong, 128)));
    spec.set_job(key.substr(4), items);
  }
  if (spec.empty()) return Failure(Errc::invalid_argument, "simple: names no job").with_hint("simple:job.worker=host1:port+host2:port");
  return spec;
}

Result<std::shared_ptr<ClusterResolver>> make_simple(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("simple: takes jobs, not {}", quoted(target.body)))
        .with_hint("simple:job.worker=host1:port+host2:port");
  }
  Result<ClusterSpec> spec = read_simple_jobs(target);
  if (!spec) return spec.error();
  SimpleOptions options(*std::move(spec));
  if (const Result<void> set = simple_keys.set(target, options); !set) return set.error();
  return make_simple_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme simple_scheme;
constexpr TargetScheme simple_scheme = {
    .name = "simple",
    .synopsis = "simple:job.NAME=HOST:PORT[+HOST:PORT…]…",
    .summary = "a cluster that is known already",
    .example = "simple:job.worker=10.0.0.2:8470+10.0.0.3:8470,job.ps=10.0.0.4:2222",
    .keys = simple_keys.names,
    .takes_jobs = true,
    .is_fixed = true,
    .make = make_simple,
};

}  // namespace rollcall
