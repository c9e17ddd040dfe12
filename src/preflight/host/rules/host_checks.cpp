// The words of --checks.
#include "rollcall/host_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/value_readers.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_folders = 64;
constexpr std::size_t max_items = 256;
// Those of `quick`, and those that take seconds, which are parts of `full` alone.
constexpr std::array<std::string_view, 18> check_names = {"clock",    "names",        "kernel", "os",           "driver",     "libraries",
                                                          "packages", "memory",       "shm",    "limits",       "nic",        "cpu",
                                                          "gpu",      "accelerators", "in_use", "memory_speed", "disk_speed", "bandwidth"};
constexpr std::size_t quick_checks = 15;
constexpr std::array<std::string_view, 7> item_prefixes = {"disk:", "mount:", "port:", "expect:", "shm=", "nofile=", "memlock="};
constexpr std::array<std::string_view, 31> known_facts = {
    "kernel",     "os",         "architecture", "driver",          "nccl", "libtpu",   "cuda",         "libfabric",   "ofed",
    "efa",        "python",     "packages",     "memory",          "shm",  "nofile",   "memlock",      "nic_speed",   "nic_mtu",
    "nic_driver", "nic_duplex", "infiniband",   "infiniband_rate", "cpus", "governor", "accelerators", "accelerator", "gpu_memory",
    "ecc",        "mig",        "persistence",  "nvlinks"};

Failure bad_check(std::string text) { return Failure(Errc::invalid_argument, std::move(text)); }

// `200G`: bytes, or with K, M, G, T by 1,024, and an optional `iB` or `B` behind them.
Result<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(end);
  if (unit.ends_with("iB")) {
    unit.remove_suffix(2);
  } else if (unit.ends_with('B')) {
    unit.remove_suffix(1);
  }
  constexpr std::string_view units = "KMGT";
  const std::size_t at = unit.size() == 1 ? units.find(unit.front()) : std::string_view::npos;
  const std::optional<std::uint64_t> number = parse_decimal<std::uint64_t>(text.substr(0, end), 1, std::uint64_t{1} << 22);
  const std::optional<std::uint64_t> bytes = parse_decimal<std::uint64_t>(text, 1, std::uint64_t{1} << 62);
  if (at != std::string_view::npos && number) return *number << (10 * (at + 1));
  if (unit.empty() && bytes) return *bytes;
  return bad_check(fmt::format("{} is no size; accepted are 200G, 512M, 1T, or a number of bytes", quoted(text, 64)));
}

Result<LimitCheck> parse_limit(std::string_view text) {
  if (text == "unlimited") return LimitCheck();
  const Result<std::uint64_t> size = parse_size(text);
  if (!size) return bad_check(fmt::format("{} is no limit; accepted are unlimited, and numbers such as 65536 or 8G", quoted(text, 64)));
  return LimitCheck(*size);
}

Result<FolderCheck> parse_folder(std::string_view text, bool is_mount) {
  FolderCheck folder;
  folder.is_mount = is_mount;
  const std::size_t equals = text.rfind('=');
  folder.path = text.substr(0, equals);
  if (!folder.path.starts_with('/') || folder.path.find('\0') != std::string::npos || folder.path.size() > 4000)
    return bad_check(fmt::format("{} is no absolute path", quoted_path(folder.path)));
  while (folder.path.size() > 1 && folder.path.ends_with('/')) folder.path.pop_back();
  if (equals == std::string_view::npos) return folder;
  const Result<std::uint64_t> size = parse_size(text.substr(equals + 1));
  if (!size) return size.error();
  folder.bytes = *size;
  return folder;
}

Result<ExpectedFact> parse_expected(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size())
    return bad_check(fmt::format("expect:{} has no value: expect:NAME=VALUE", printable(text, 64)));
  const std::string_view name = text.substr(0, equals);
  if (!index_among(name, known_facts))
    return bad_check(fmt::format("{} is no fact of a host{}", quoted(name, 64), nearest_or_known(name, known_facts)));
  return ExpectedFact(std::string(name), printable_line(text.substr(equals + 1)));
}

}  // namespace

HostChecks::HostChecks() : wanted_(check_names.begin(), check_names.begin() + quick_checks) {}

std::span<const std::string_view> HostChecks::names() noexcept { return check_names; }
std::span<const std::string_view> HostChecks::prefixes() noexcept { return item_prefixes; }
std::span<const std::string_view> HostChecks::fact_names() noexcept { return known_facts; }

bool HostChecks::expects(std::initializer_list<std::string_view> facts) const {
  return std::any_of(expected.begin(), expected.end(),
                     [&facts](const ExpectedFact& one) { return std::find(facts.begin(), facts.end(), one.name) != facts.end(); });
}

Result<HostChecks> HostChecks::parse(std::span<const std::string> words) {
  if (words.size() > max_items) return bad_check(fmt::format("{} checks are too many: at most {}", words.size(), max_items));
  HostChecks checks;
  std::set<std::string, std::less<>> chosen;
  std::set<std::string, std::less<>> left_out;
  bool has_choice = false;
  for (const std::string_view word : words) {
    const bool is_left_out = word.starts_with('-');
    const std::string_view name = is_left_out ? word.substr(1) : word;
    if (!is_left_out && (name == "quick" || name == "full")) {
      chosen.insert(check_names.begin(), check_names.begin() + (name == "full" ? check_names.size() : quick_checks));
      has_choice = true;
    } else if (index_among(name, check_names)) {
      (is_left_out ? left_out : chosen).emplace(name);
      has_choice = has_choice || !is_left_out;
    } else if (is_left_out) {
      return bad_check(fmt::format("{} is no check{}", quoted(name, 64), nearest_or_known(name, check_names)));
    } else if (const Result<void> added = checks.add_item(word); !added) {
      return added.error();
    }
  }
  const bool names_disk_speed = std::find(words.begin(), words.end(), "disk_speed") != words.end();
  if (names_disk_speed && std::all_of(checks.folders.begin(), checks.folders.end(), [](const FolderCheck& one) { return one.is_mount; }))
    return bad_check("disk_speed has no folder to measure: name one by disk:PATH=SIZE");
  if (has_choice) checks.wanted_ = std::move(chosen);
  for (const std::string& name : left_out) checks.wanted_.erase(name);
  return checks;
}

Result<void> HostChecks::add_item(std::string_view word) {
  const auto value_of = [word](std::string_view prefix) { return word.substr(prefix.size()); };
  if (word.starts_with("disk:") || word.starts_with("mount:")) {
    const bool is_mount = word.starts_with("mount:");
    Result<FolderCheck> folder = parse_folder(value_of(is_mount ? "mount:" : "disk:"), is_mount);
    if (!folder) return folder.error();
    if (folders.size() == max_folders) return bad_check(fmt::format("more than {} folders", max_folders));
    if (!is_mount && folder->bytes == 0) return bad_check(fmt::format("{} has no size: disk:PATH=200G", printable(word, 64)));
    folders.push_back(std::move(*folder));
    return Result<void>();
  }
  if (word.starts_with("port:")) {
    const Result<std::uint16_t> port = number_between<std::uint16_t>(value_of("port:"), "port", 1, 65535);
    if (!port) return port.error();
    ports.push_back(*port);
    return Result<void>();
  }
  if (word.starts_with("expect:")) {
    Result<ExpectedFact> fact = parse_expected(value_of("expect:"));
    if (!fact) return fact.error();
    expected.push_back(std::move(*fact));
    return Result<void>();
  }
  if (word.starts_with("shm=")) {
    const Result<std::uint64_t> size = parse_size(value_of("shm="));
    if (!size) return size.error();
    shm_bytes = *size;
    return Result<void>();
  }
  for (const auto& [prefix, out] : {std::pair(std::string_view("nofile="), &open_files), {"memlock=", &locked_memory}}) {
    if (!word.starts_with(prefix)) continue;
    const Result<LimitCheck> limit = parse_limit(value_of(prefix));
    if (!limit) return limit.error();
    *out = *limit;
    return Result<void>();
  }
  std::vector<std::string_view> known(check_names.begin(), check_names.end());
  known.insert(known.end(),
               {"quick", "full", "disk:PATH=SIZE", "mount:PATH", "port:N", "expect:NAME=VALUE", "shm=SIZE", "nofile=N", "memlock=SIZE"});
  return bad_check(fmt::format("{} is no check{}", quoted(word, 64), nearest_or_known(word, known)));
}

}  // namespace rollcall
