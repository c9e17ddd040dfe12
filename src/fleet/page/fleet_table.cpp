#include "fleet/page/fleet_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/append_formatted.hpp"
#include "base/order.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_rows = 2000;  // the script shows the rest

constexpr std::string_view page_head =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>Rollcall fleet</title>\n<link rel=\"icon\" href=\"page/icon.svg\">\n<link rel=\"stylesheet\" href=\"page/page.css\">\n"
    "<script type=\"module\" src=\"page/page.js\"></script>\n</head>\n<body>\n"
    "<header class=\"top\"><a class=\"mark\" href=\"./\"><img src=\"page/icon.svg\" alt=\"\" width=\"22\" height=\"22\">Rollcall</a>"
    "<nav id=\"nav\"></nav><div id=\"live\" role=\"status\"></div></header>\n"
    "<div id=\"banner\" role=\"alert\" hidden></div>\n<main id=\"main\">\n";
constexpr std::string_view page_end = "</main>\n</body>\n</html>\n";

std::string plain_row(const FleetCluster& cluster) {
  const std::string age = cluster.age ? coarse_duration_text(*cluster.age) : "never";
  const std::string& who = cluster.trouble.empty() ? cluster.missing : cluster.trouble;
  std::string link;
  for (const char c : cluster.target) link += c == '%' ? std::string("%25") : std::string(1, c);
  return fmt::format(
      "<tr class=\"{0}\"><td>{0}</td><th scope=\"row\"><a href=\"v1/clusters/{1}\">{2}</a></th><td><progress value=\"{3}\" "
      "max=\"{4}\"></progress> "
      "{3} of {5}</td><td>{6}</td><td>{7}</td><td>{8}</td><td>{9}</td></tr>\n",
      to_string(cluster.standing), html_text(link, 8192), html_text(cluster.target), cluster.ready, std::max(cluster.total, 1),
      cluster.total, html_text(who), html_text(cluster.type, 64), html_text(cluster.place, 128), age);
}

std::string counts_line(const std::vector<FleetCluster>& clusters) {
  constexpr std::size_t standings = static_cast<std::size_t>(ClusterStanding::failed) + 1;
  std::array<std::size_t, standings> counts{};
  for (const FleetCluster& cluster : clusters) ++counts[static_cast<std::size_t>(cluster.standing)];
  std::string out = fmt::format("{} {}", clusters.size(), clusters.size() == 1 ? "cluster" : "clusters");
  for (std::size_t i = 0; i < standings; ++i) {
    if (counts[i] > 0) append_formatted(out, ", {} {}", counts[i], to_string(static_cast<ClusterStanding>(i)));
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text, std::size_t max_bytes) { return escape_markup(printable(text, max_bytes)); }

std::string render_fleet_page(const std::vector<FleetCluster>& clusters, bool is_closed_to_reader) {
  std::string out(page_head);
  if (is_closed_to_reader)
    return out + "<p class=\"plain\">This service answers only clients with a token. To send one takes scripts.</p>\n" += page_end;
  std::vector<const FleetCluster*> rows;
  for (const FleetCluster& cluster : clusters) rows.push_back(&cluster);
  sort_stably(rows, [](const FleetCluster* a, const FleetCluster* b) { return a->standing > b->standing; });  // the most urgent first
  append_formatted(out, "<p class=\"plain\">{}</p>\n", counts_line(clusters));
  out +=
      "<table class=\"plain\">\n<thead><tr><th>Standing</th><th>Target</th><th>Ready</th><th>Missing</th><th>Type</th><th>Place</th>"
      "<th>Seen</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(rows.size(), max_rows); ++i) out += plain_row(*rows[i]);
  out += "</tbody>\n</table>\n";
  if (rows.size() > max_rows) append_formatted(out, "<p class=\"plain\">and {} more</p>\n", rows.size() - max_rows);
  out += "<noscript><p class=\"plain\">With scripts this page is live. Without, load it again.</p></noscript>\n";
  return out + std::string(page_end);
}

}  // namespace rollcall::fleet
