// Compresses hosts to a list.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

// Consecutive hosts: one prefix, ascending numbers. Without a number it is one host.
class HostRun {
 public:
  std::string_view prefix;
  std::optional<std::uint64_t> low;
  std::uint64_t high = 0;
  std::size_t width = 0;
};

HostRun run_of(std::string_view host) {
  HostRun run;
  std::size_t digits = host.size();
  while (digits > 0 && is_digit(host[digits - 1])) --digits;
  run.low = parse_decimal<std::uint64_t>(host.substr(digits));
  run.prefix = run.low ? host.substr(0, digits) : host;
  run.high = run.low.value_or(0);
  run.width = host.size() - digits;
  return run;
}

// The padding of zeros before `number` for `width`.
std::size_t zeros(std::uint64_t number, std::size_t width) {
  const std::size_t digits = std::to_string(number).size();
  return width > digits ? width - digits : 0;
}

bool share_a_bracket(const HostRun& a, const HostRun& b) { return a.low && b.low && a.prefix == b.prefix; }

// Appends `next` to `run` if its number is the next one and the same width reproduces both.
bool join_runs(HostRun& run, const HostRun& next) {
  if (!share_a_bracket(run, next) || run.high == std::numeric_limits<std::uint64_t>::max() || run.high + 1 != *next.low) return false;
  if (zeros(*next.low, next.width) != zeros(*next.low, run.width)) return false;
  run.high = next.high;
  return true;
}

}  // namespace

Result<std::string> compress_host_list(std::span<const std::string> hosts) {
  std::vector<HostRun> runs;
  for (const std::string& host : hosts) {
    const auto is_refused = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == ',' || c == '[' || c == ']'; };
    if (host.empty() || std::any_of(host.begin(), host.end(), is_refused)) {
      return Failure(Errc::invalid_argument, fmt::format("a host list cannot hold the name {}", quoted(host)));
    }
    const HostRun run = run_of(host);
    if (runs.empty() || !join_runs(runs.back(), run)) runs.push_back(run);
  }
  std::string text;
  for (std::size_t i = 0; i < runs.size();) {
    if (i > 0) text += ',';
    std::size_t end = i + 1;
    while (end < runs.size() && share_a_bracket(runs[i], runs[end])) ++end;
    text += runs[i].prefix;
    const bool has_bracket = runs[i].low && (end - i > 1 || runs[i].high != *runs[i].low);
    if (has_bracket) text += '[';
    for (const std::size_t first = i; i < end; ++i) {
      if (!runs[i].low) continue;
      if (i > first) text += ',';
      append_formatted(text, "{:0{}}", *runs[i].low, runs[i].width);
      if (runs[i].high != *runs[i].low) append_formatted(text, "-{:0{}}", runs[i].high, runs[i].width);
    }
    if (has_bracket) text += ']';
  }
  return text;
}

}  // namespace rollcall
