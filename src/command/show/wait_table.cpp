#include "command/show/wait_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "command/terminal/columns.hpp"
#include "command/terminal/safe_text.hpp"
#include "command/terminal/styled_line.hpp"
#include "rollcall/missing_groups.hpp"

namespace rollcall::command {
namespace {

std::string_view style_of(MemberState state) {
  return state == MemberState::ready || state == MemberState::waiting ? waiting_style : lost_style;
}

std::string count_cell(const ShownProgress::Group& group) {
  return group.count == 1 ? std::string() : fmt::format("{} members", group.count);
}

// The widths of the columns; 0: left out. The columns of members and reasons are shortened last.
class RowWidths {
 public:
  RowWidths(const std::vector<ShownProgress::Group>& groups, std::size_t rows, SteadyTime now, std::size_t width) {
    for (std::size_t i = 0; i < rows; ++i) {
      who = std::max(who, columns_of(groups[i].who));
      why = std::max(why, columns_of(groups[i].why));
      count = std::max(count, columns_of(count_cell(groups[i])));
      time = std::max(time, columns_of(coarse_duration_text(now - groups[i].since)));
    }
    if (fits(width)) return;
    count = 0;
    if (fits(width)) return;
    time = 0;
    if (fits(width)) return;
    constexpr std::size_t gaps = 4;
    constexpr std::size_t narrowest = 10;
    const std::size_t room = width > gaps ? width - gaps : 0;
    const std::size_t min_requested = std::min(who, std::max(narrowest, room * 2 / 5));
    why = std::min(why, room > min_requested ? room - min_requested : 0);
    who = room - why;
  }

  std::size_t who = 0;
  std::size_t why = 0;
  std::size_t count = 0;
  std::size_t time = 0;

 private:
  static std::size_t behind(std::size_t column) { return column == 0 ? 0 : column + 2; }
  bool fits(std::size_t width) const { return 2 + who + behind(why) + behind(count) + behind(time) <= width; }
};

std::string head_line(const WaitSubject& subject, const ShownProgress& progress, SteadyTime now, std::size_t width, bool with_colour) {
  StyledLine line;
  line.add(cut_line(printable_line(subject.name), std::max<std::size_t>(width / 2, 8)), bold_style);
  line.add(" ");
  line.add(progress.counts, progress.is_complete ? ready_style : waiting_style);
  line.add(fmt::format(" · {} of {}", coarse_duration_text(now - progress.started), coarse_duration_text(subject.timeout)));
  if (!progress.state.empty()) line.add(" · " + progress.state);
  if (!progress.trouble.empty()) line.add(" · cannot ask: " + progress.trouble, lost_style);
  return line.text(width, with_colour);
}

std::string row_line(const ShownProgress::Group& group, const RowWidths& widths, SteadyTime now, std::size_t width, bool with_colour) {
  StyledLine line;
  line.add("  " + in_column(group.who, widths.who) + "  ");
  line.add(in_column(group.why, widths.why), style_of(group.state));
  if (widths.count > 0) line.add("  " + fmt::format("{:>{}}", count_cell(group), widths.count));
  if (widths.time > 0) line.add("  " + coarse_duration_text(now - group.since), dim_style);
  return line.text(width, with_colour);
}

}  // namespace

ShownProgress::ShownProgress(const WaitProgress& progress)
    : counts(progress.count_text()), has_listed(progress.listed > 0), is_complete(progress.total > 0 && progress.ready >= progress.total),
      trouble(printable_line(progress.trouble)), started(progress.started) {
  if (progress.status.state.level != MemberState::ready) state = printable_line(progress.status.state.text);
  constexpr std::size_t max_rows = 500;  // an upper bound for the height of terminals
  const std::vector<MissingGroup> all = group_missing(progress.missing);
  std::vector<std::pair<SteadyTime, std::size_t>> order;
  order.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    order.emplace_back(all[i].begun(), i);
    missing += all[i].count();
  }
  const std::size_t shown = std::min(order.size(), max_rows);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end());
  for (std::size_t i = 0; i < shown; ++i) {
    const MissingGroup& from = all[order[i].second];
    Group& group = groups.emplace_back();
    group.who = printable_line(from.who());
    group.why = printable_line(from.why());
    group.state = from.state();
    group.count = from.count();
    group.since = order[i].first;
  }
}

std::vector<std::string> wait_table(const WaitSubject& subject, const ShownProgress& progress, SteadyTime now, std::size_t width,
                                    std::size_t height, bool with_colour) {
  std::vector<std::string> lines;
  lines.push_back(head_line(subject, progress, now, width, with_colour));
  const std::size_t room = height > 0 ? height - 1 : 0;
  const std::size_t rows = std::min(progress.groups.size(), room);
  const RowWidths widths(progress.groups, rows, now, width);
  std::int64_t left = progress.missing;
  for (std::size_t i = 0; i < rows; ++i) {
    const ShownProgress::Group& group = progress.groups[i];
    if (i + 1 == room && left > group.count) {
      lines.push_back(cut_line(fmt::format("  and {} more", left), width));
      break;
    }
    lines.push_back(row_line(group, widths, now, width, with_colour));
    left -= group.count;
  }
  return lines;
}

}  // namespace rollcall::command
