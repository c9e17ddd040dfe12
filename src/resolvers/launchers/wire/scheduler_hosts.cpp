#include "resolvers/launchers/wire/scheduler_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "cluster/host_lines.hpp"

namespace rollcall {
namespace {

class HostCollector {
 public:
  explicit HostCollector(std::size_t max) : max_(max) {}

  Result<void> add(std::string_view host, int slots) {
    const Result<std::string> name = read_host(host);
    if (!name) return name.error();
    slots_ += static_cast<std::size_t>(slots);
    if (slots_ > max_ || hosts_.size() >= max_) return Failure(Errc::limit_exceeded, fmt::format("more than {} hosts or slots", max_));
    hosts_.emplace_back(*name, slots);
    return {};
  }

  Result<void> add_counted(std::string_view host, std::string_view count) {
    const std::optional<int> slots = parse_decimal<int>(count);
    if (slots) return add(host, *slots);
    return Failure(Errc::invalid_argument, fmt::format("{} stands behind {}, which is no number of slots", quoted_words(count, 64),
                                                       read_host(host) ? quoted_words(host, 64) : "a host"));
  }

  Result<std::vector<HostSlots>> finish() && {
    if (hosts_.empty()) return Failure(Errc::invalid_argument, "there is no host in it");
    return std::move(hosts_);
  }

 private:
  std::size_t max_;
  std::size_t slots_ = 0;
  std::vector<HostSlots> hosts_;
};

}  // namespace

Result<std::vector<HostSlots>> parse_host_pairs(std::string_view text, std::size_t max) {
  HostCollector hosts(max);
  for (std::string_view rest = trim(text); !rest.empty();) {
    const std::string_view host = next_word(rest);
    if (rest.empty()) return Failure(Errc::invalid_argument, "the last host has no number of slots");
    const Result<void> added = hosts.add_counted(host, next_word(rest));
    if (!added) return added.error();
  }
  return std::move(hosts).finish();
}

Result<std::vector<HostSlots>> parse_host_words(std::string_view text, std::size_t max) {
  HostCollector hosts(max);
  std::string words(text);
  std::replace_if(words.begin(), words.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  for (std::string_view rest = trim(words); !rest.empty();) {
    const Result<void> added = hosts.add(next_word(rest), 1);
    if (!added) return added.error();
  }
  return std::move(hosts).finish();
}

Result<std::vector<HostSlots>> parse_grid_engine_hosts(std::string_view text, std::size_t max) {
  HostCollector hosts(max);
  const Result<void> read = each_line(text, [&hosts](std::size_t number, std::string_view line) -> Result<void> {
    std::string_view rest = line;
    const std::string_view host = next_word(rest);
    Result<void> added = hosts.add_counted(host, next_word(rest));
    if (added) return added;
    Failure failure = added.error();
    failure.with_what(fmt::format("line {}: {}", number, failure.what()));
    return failure;
  });
  if (!read) return read.error();
  return std::move(hosts).finish();
}

}  // namespace rollcall
