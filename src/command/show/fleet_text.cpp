#include "command/show/fleet_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/append_formatted.hpp"
#include "base/order.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "command/show/barrier_text.hpp"
#include "command/terminal/columns.hpp"
#include "render/render_fleet.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t fleet_columns = 7;
using FleetCells = std::array<std::string, fleet_columns>;
constexpr std::array<std::size_t, fleet_columns> widest_cells = {12, 64, 13, 60, 16, 24, 12};

std::string fleet_counts(const std::vector<FleetCluster>& clusters) {
  std::array<std::size_t, static_cast<std::size_t>(ClusterStanding::failed) + 1> counts{};
  std::int64_t ready = 0;
  std::int64_t total = 0;
  for (const FleetCluster& cluster : clusters) {
    ++counts[static_cast<std::size_t>(cluster.standing)];
    ready += cluster.ready;
    total += cluster.total;
  }
  std::string line =
      fmt::format("{} {}, {} of {} tasks ready", clusters.size(), clusters.size() == 1 ? "cluster" : "clusters", ready, total);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      append_formatted(line, "{}{} {}", line.find(": ") == std::string::npos ? ": " : ", ", counts[i],
                       to_string(static_cast<ClusterStanding>(i)));
  }
  return line;
}

FleetCells cells_of(const FleetCluster& cluster) {
  const auto word = [](const std::string& text, std::size_t max) { return text.empty() ? std::string("-") : printable(text, max); };
  const std::string& why = cluster.trouble.empty() ? cluster.missing : cluster.trouble;
  return {std::string(to_string(cluster.standing)),
          word(cluster.target, 400),
          fmt::format("{}/{}", cluster.ready, cluster.total),
          word(why, 200),
          word(cluster.type, 32),
          word(cluster.place, 64),
          cluster.age ? coarse_duration_text(*cluster.age) : "never"};
}

// The order on the line: long columns come last.
constexpr std::array<std::size_t, fleet_columns> order_of_cells = {0, 2, 4, 5, 6, 1, 3};

std::string fleet_line(const FleetCells& cells, const FleetCells& titles, const std::array<std::size_t, fleet_columns>& widths) {
  std::string line;
  for (const std::size_t i : order_of_cells) {
    const std::string& text = cells[i].empty() ? titles[i] : cells[i];
    if (!line.empty()) line += "  ";
    line += i == order_of_cells.back() ? cut_line(text, widths[i]) : in_column(text, widths[i]);
  }
  return line;
}

}  // namespace

void sort_fleet(std::vector<FleetCluster>& clusters) {
  sort_stably(clusters, [](const FleetCluster& a, const FleetCluster& b) {
    if (a.standing != b.standing) return a.standing > b.standing;
    return natural_order(a.target, b.target) < 0;
  });
}

std::vector<std::string> fleet_table(const std::vector<FleetCluster>& clusters, std::size_t width, std::size_t height) {
  const FleetCells titles = {"STANDING", "TARGET", "READY", "MISSING", "TYPE", "PLACE", "SEEN"};
  std::vector<std::string> lines;
  lines.push_back(cut_line(fleet_counts(clusters), width));
  if (clusters.empty()) return lines;
  const std::size_t room = height == 0 ? clusters.size() : height > 3 ? height - 3 : 1;
  const std::size_t rows = std::min(clusters.size(), clusters.size() <= room + 1 ? clusters.size() : room);
  std::vector<FleetCells> cells;
  for (std::size_t i = 0; i < rows; ++i) cells.push_back(cells_of(clusters[i]));
  std::array<std::size_t, fleet_columns> widths{};
  for (std::size_t i = 0; i < fleet_columns; ++i) {
    widths[i] = titles[i].size();
    for (const FleetCells& row : cells) widths[i] = std::max(widths[i], std::min(columns_of(row[i]), widest_cells[i]));
  }
  widths[order_of_cells.back()] = 400;
  lines.push_back(cut_line(fleet_line(titles, titles, widths), width));
  for (const FleetCells& row : cells) lines.push_back(cut_line(fleet_line(row, titles, widths), width));
  if (rows < clusters.size()) lines.push_back(fmt::format("and {} more", clusters.size() - rows));
  return lines;
}

std::string replicas_line(const FleetReplicas& replicas) {
  if (replicas.replica.empty()) return {};
  const std::string since =
      replicas.leads_since ? " since " + format_rfc3339(std::chrono::floor<std::chrono::seconds>(*replicas.leads_since)) : std::string();
  std::string line = replicas.leader.empty() ? std::string("no replica leads") : fmt::format("{} leads{}", replicas.leader, since);
  if (!replicas.trouble.empty()) line += fmt::format(" ({} does not follow: {})", replicas.replica, replicas.trouble);
  std::string_view separator = "; views: ";
  for (const FleetReplica& one : replicas.replicas) {
    if (one.replica == replicas.leader) continue;
    line += fmt::format("{}{} {}", separator, one.replica, one.view_age ? coarse_duration_text(*one.view_age) + " old" : "not known");
    separator = ", ";
  }
  return line;
}

std::vector<std::string> barrier_lines(const std::vector<ListedBarrier>& barriers, std::size_t width) {
  std::vector<std::string> lines;
  for (const ListedBarrier& barrier : barriers) lines.push_back(cut_line(printable("barrier " + barrier.line(), 2000), width));
  return lines;
}

std::string fleet_json(const std::vector<FleetCluster>& clusters, const FleetReplicas& replicas, const std::vector<ListedBarrier>& barriers,
                       WallTime now) {
  std::string out = "{\"clusters\":[";
  for (const FleetCluster& cluster : clusters) {
    if (out.back() != '[') out += ',';
    out += render_fleet_cluster(cluster);
  }
  out += ']';
  if (!replicas.replica.empty()) out += ",\"replicas\":" + render_fleet_replicas(replicas);
  if (!barriers.empty()) {
    out += ",\"barriers\":[";
    for (const ListedBarrier& barrier : barriers) out += (out.back() == '[' ? "" : ",") + listed_barrier_json(barrier, now);
    out += ']';
  }
  return out + "}\n";
}

}  // namespace rollcall::command
