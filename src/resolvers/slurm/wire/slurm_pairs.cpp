#include "resolvers/slurm/wire/slurm_pairs.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall {
namespace {

// The value of a key on a line; the values that are wanted hold no blanks.
std::string_view value_on(std::string_view line, std::string_view key) {
  for (std::string_view word : split(line, ' ')) {
    word = trim(word);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') return word.substr(key.size() + 1);
  }
  return {};
}

bool is_without_limit(std::string_view value) { return value.empty() || value == "UNLIMITED" || value == "INFINITE" || value == "NONE"; }

// `5-00:00:00`, `01:00:00`, `05:00`: days, hours, minutes and seconds, as whole minutes.
std::optional<int> slurm_minutes(std::string_view text) {
  constexpr int most = 1'000'000'000;
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto number = parse_decimal<int>(text.substr(0, dash), 0, 100'000);
    if (!number) return std::nullopt;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  std::int64_t seconds = 0;
  for (const std::string_view part : parts) {
    const auto number = parse_decimal<int>(part, 0, 1'000'000);
    if (!number) return std::nullopt;
    seconds = seconds * 60 + *number;
  }
  const std::int64_t minutes = days * 24 * 60 + (seconds + 59) / 60;
  return minutes > most ? std::nullopt : std::optional<int>(static_cast<int>(minutes));
}

std::optional<WallTime> utc_time(std::string_view text) { return parse_rfc3339(std::string(text) + "Z"); }

std::vector<std::string> upper_parts(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) {
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

template <class Record, class Read>
Result<std::vector<Record>> read_lines(std::string_view text, std::string_view first_key, const ParseLimits& limits, Read read) {
  std::vector<Record> records;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view name = value_on(line, first_key);
    if (name.empty() || !trim(line).starts_with(first_key)) continue;
    if (records.size() >= limits.max_items)
      return Failure(Errc::limit_exceeded, fmt::format("what scontrol prints has more than {} records", limits.max_items));
    Record& record = records.emplace_back();
    record.name = name;
    const std::string fault = read(line, record);
    if (!fault.empty())
      return Failure(Errc::malformed_response, fmt::format("{} {}, as scontrol prints it: {}", first_key, printable(name, 80), fault));
  }
  return records;
}

}  // namespace

Result<std::vector<SlurmPartition>> read_partition_lines(std::string_view text, const ParseLimits& limits) {
  return read_lines<SlurmPartition>(text, "PartitionName", limits, [](std::string_view line, SlurmPartition& partition) -> std::string {
    partition.states = upper_parts(value_on(line, "State"));
    partition.nodes = value_on(line, "Nodes");
    if (partition.nodes == "(null)") partition.nodes.clear();
    partition.total_nodes = parse_decimal<int>(value_on(line, "TotalNodes")).value_or(0);
    const std::string_view time = value_on(line, "MaxTime");
    const std::string_view nodes = value_on(line, "MaxNodes");
    if (!is_without_limit(time)) partition.max_minutes = slurm_minutes(time);
    if (!is_without_limit(nodes)) partition.max_nodes = parse_decimal<int>(nodes);
    if (!is_without_limit(time) && !partition.max_minutes) return fmt::format("MaxTime={} is no time", printable(time, 40));
    if (!is_without_limit(nodes) && !partition.max_nodes) return fmt::format("MaxNodes={} is no number", printable(nodes, 40));
    return {};
  });
}

Result<std::vector<SlurmReservation>> read_reservation_lines(std::string_view text, const ParseLimits& limits) {
  return read_lines<SlurmReservation>(text, "ReservationName", limits,
                                      [](std::string_view line, SlurmReservation& reservation) -> std::string {
                                        reservation.nodes = value_on(line, "Nodes");
                                        if (reservation.nodes == "(null)") reservation.nodes.clear();
                                        reservation.flags = upper_parts(value_on(line, "Flags"));
                                        reservation.start = utc_time(value_on(line, "StartTime"));
                                        reservation.end = utc_time(value_on(line, "EndTime"));
                                        return {};
                                      });
}

}  // namespace rollcall
