// Reads the host files of Open MPI, MPICH, Intel MPI and DeepSpeed, and Open MPI's rank files. [facts: openmpi-hostfile]
// [facts: mpich-hostfile] [facts: deepspeed-hostfile]
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/ip.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "cluster/host_file.hpp"
#include "cluster/host_lines.hpp"

namespace rollcall {
namespace {

constexpr std::string_view slot_keys[] = {"slots", "cpu", "count"};
constexpr std::string_view max_keys[] = {"slots-max", "slots_max", "max-slots", "max_slots", "cpu-max",   "cpu_max",
                                         "max-cpu",   "max_cpu",   "count-max", "count_max", "max-count", "max_count"};
constexpr std::string_view other_keys[] = {
    "username", "user-name",         "user_name",         "port",
    "boards",   "sockets",           "sockets_per_board", "cores",
    "cpu_set",  "sockets-per-board", "cores_per_socket",  "cores-per-socket",
    "cpu-set",                        // Open MPI
    "user",     "binding",
    "ifhn",  // MPICH
};

bool is_one_of(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Takes `KEY=VALUE` from the front of `rest`; blanks may stand around the equals sign. Absent: there is no such pair.
std::optional<std::pair<std::string_view, std::string_view>> next_pair(std::string_view& rest) {
  const std::string_view key = trim(rest.substr(0, rest.find_first_of("= \t\r\v\f")));
  std::string_view after = trim(rest.substr(key.size()));
  if (key.empty() || !after.starts_with('=')) return std::nullopt;
  after = trim(after.substr(1));
  const std::string_view value = next_word(after);
  rest = after;
  return std::pair(key, value);
}

Result<HostSlots> host_of_word(std::size_t number, std::string_view line, std::string_view word) {
  if (word.starts_with('+')) return bad_line(number, line, "names no host: +nN counts the hosts of an allocation, which is not known here");
  if (const std::size_t user = word.find('@'); user != std::string_view::npos) word.remove_prefix(user + 1);
  const Result<Endpoint> host = Endpoint::parse(word);
  if (!host || host->port) return bad_line(number, line, "does not begin with a host");
  if (is_secret_host(*host)) return bad_line(number, "***", "is a token or a key, by its looks, and not a host");
  HostSlots entry;
  entry.host = host->host;
  return entry;
}

// MVAPICH's mpirun_rsh takes the adapter behind the host, or behind its number: `n10:2:mlx5_0`. No group of an IPv6 address begins so.
std::string_view without_adapter(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return word;
  const std::string_view name = word.substr(colon + 1);
  const bool is_adapter = name.size() > 1 && name.front() >= 'g' && name.front() <= 'z' && is_digit(name.back()) &&
                          std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  return is_adapter ? word.substr(0, colon) : word;
}

class HostFileLine {
 public:
  HostSlots entry;
  bool has_slots = false;  // by a key
};

// A greatest number of slots is their number as well, where there is no other: so Open MPI has it.
Result<void> take_count(std::size_t number, std::string_view line, std::string_view key, std::string_view value, HostFileLine& read) {
  const std::optional<int> count = parse_decimal<int>(value);
  if (!count) return bad_line(number, line, fmt::format("{}= has no number", key));
  const bool is_greatest = is_one_of(max_keys, key);
  if (is_greatest && read.has_slots && *count < read.entry.slots)
    return bad_line(number, line, fmt::format("{}={} is less than the slots, {}", key, *count, read.entry.slots));
  if (is_greatest && (read.has_slots || read.entry.is_counted)) return {};
  read.has_slots = read.has_slots || !is_greatest;
  read.entry = HostSlots(std::move(read.entry.host), *count);
  return {};
}

Result<void> read_pairs(std::size_t number, std::string_view line, std::string_view rest, HostFileLine& read) {
  std::set<std::string_view> seen;
  while (!rest.empty()) {
    const auto pair = next_pair(rest);
    if (!pair) return bad_line(number, line, fmt::format("{} is not KEY=VALUE", quoted_words(next_word(rest), 64)));
    const auto& [key, value] = *pair;
    const std::string_view meant = is_one_of(slot_keys, key) ? slot_keys[0] : is_one_of(max_keys, key) ? "max_slots" : key;
    const bool is_count = meant == slot_keys[0] || meant == "max_slots";
    if (!is_count && !is_one_of(other_keys, key)) {
      const auto near = nearest(key, slot_keys);
      Failure failure = bad_line(number, line, fmt::format("{} is no key of a host file", quoted_words(key, 64)));
      return failure.with_hint(near ? fmt::format("did you mean {}=?", *near) : "slots=N is the number of processes that a host takes");
    }
    if (!seen.insert(meant).second) return bad_line(number, line, fmt::format("{}= stands there twice", meant));
    const Result<void> taken = is_count ? take_count(number, line, key, value, read) : Result<void>();
    if (!taken) return taken;
  }
  return Result<void>();
}

Result<HostFileLine> read_mpi_line(std::size_t number, std::string_view line) {
  std::string_view rest = line;
  std::string_view word = without_adapter(next_word(rest));
  const std::optional<int> slots = number_behind_colon(word);
  if (slots) word = word.substr(0, word.rfind(':'));
  Result<HostSlots> entry = host_of_word(number, line, word);
  if (!entry) return entry.error();
  HostFileLine result;
  result.entry = *std::move(entry);
  if (slots) result.entry = HostSlots(std::move(result.entry.host), *slots);
  const Result<void> read = read_pairs(number, line, rest, result);
  if (!read) return read.error();
  if (slots && result.entry.slots != *slots) {
    return bad_line(number, line,
                    fmt::format("the host has {} slots by the number behind the colon, and {} by its key", *slots, result.entry.slots));
  }
  return result;
}

// The text behind the word `rank`, if a number follows it. A host may have that name.
std::optional<std::string_view> rank_words(std::string_view line) {
  std::string_view rest = line;
  if (next_word(rest) != "rank" || rest.empty() || !is_digit(rest.front())) return std::nullopt;
  return rest;
}

class RankFile {
 public:
  explicit RankFile(std::size_t max) : max_(max) {}

  // `rank N=HOST slot=CPUS`
  Result<void> add(std::size_t number, std::string_view line) {
    const std::optional<std::string_view> words = rank_words(line);
    if (!words) return bad_line(number, line, "is not rank N=HOST, as the lines before it");
    std::string_view rest = *words;
    const auto place = next_pair(rest);
    const std::optional<std::size_t> rank = place ? parse_decimal<std::size_t>(place->first) : std::nullopt;
    if (!rank) return bad_line(number, line, "is not rank N=HOST");
    if (*rank >= max_) return Failure(Errc::limit_exceeded, fmt::format("line {}: rank {} is more than {} ranks", number, *rank, max_));
    Result<HostSlots> entry = host_of_word(number, line, place->second);
    if (!entry) return entry.error();
    while (!rest.empty()) {
      const auto pair = next_pair(rest);
      if (!pair || (pair->first != "slot" && pair->first != "slots") || pair->second.empty())
        return bad_line(number, line, "has more than slot=CPUS behind the host");
    }
    if (*rank >= hosts_.size()) hosts_.resize(*rank + 1);
    if (!hosts_[*rank].host.empty()) return bad_line(number, line, fmt::format("rank {} stands there twice", *rank));
    hosts_[*rank] = HostSlots(std::move(entry->host), 1);
    return Result<void>();
  }

  Result<std::vector<HostSlots>> finish() && {
    const auto gap = std::find_if(hosts_.begin(), hosts_.end(), [](const HostSlots& entry) { return entry.host.empty(); });
    if (gap == hosts_.end()) return std::move(hosts_);
    return Failure(Errc::invalid_argument, fmt::format("rank {} has no line, but rank {} has: the host of each rank must be there",
                                                       gap - hosts_.begin(), hosts_.size() - 1));
  }

 private:
  std::size_t max_;
  std::vector<HostSlots> hosts_;
};

Result<std::vector<HostSlots>> parse_rank_file(std::string_view text, std::size_t max_items) {
  RankFile file(max_items);
  const Result<void> read = each_line(text, [&file](std::size_t number, std::string_view line) { return file.add(number, line); });
  if (!read) return read.error();
  return std::move(file).finish();
}

}  // namespace

bool is_rank_file(std::string_view text) {
  bool is_first = true;
  bool is_rank = false;
  const Result<void> read = each_line(text, [&](std::size_t, std::string_view line) {
    if (std::exchange(is_first, false)) is_rank = rank_words(line).has_value();
    return Result<void>();
  });
  return read && is_rank;
}

Result<std::vector<HostSlots>> parse_mpi_hosts(std::string_view text, std::size_t max_items) {
  if (is_rank_file(text)) return parse_rank_file(text, max_items);
  std::vector<HostSlots> hosts;
  std::size_t slots = 0;
  std::set<HostIdentity> seen;
  const Result<void> read = each_line(text, [&](std::size_t number, std::string_view line) -> Result<void> {
    if (line.starts_with("//")) return {};  // a comment of Open MPI
    Result<HostFileLine> one = read_mpi_line(number, line);
    if (!one) return one.error();
    HostSlots& entry = one->entry;
    if (!seen.emplace(entry.host).second && one->has_slots) {
      return bad_line(number, line, "the host stands there before, and slots= here, which Open MPI and DeepSpeed refuse")
          .with_hint("write a line for each slot, or one line with their number");
    }
    slots += static_cast<std::size_t>(entry.slots);
    hosts.push_back(std::move(entry));
    if (slots > max_items || hosts.size() > max_items)
      return Failure(Errc::limit_exceeded, fmt::format("line {}: more than {} hosts or slots", number, max_items));
    return Result<void>();
  });
  if (!read) return read.error();
  return hosts;
}

}  // namespace rollcall
