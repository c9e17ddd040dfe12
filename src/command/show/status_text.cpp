#include "command/show/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "command/terminal/columns.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/listed.hpp"

namespace rollcall::command {
namespace {

class StateRow {
 public:
  StateRow(std::string of_job, std::string places, std::string at, std::string how)
      : job(std::move(of_job)), index(std::move(places)), address(std::move(at)), standing(std::move(how)) {}
  std::string job;
  std::string index;
  std::string address;
  std::string standing;
};

// Without blanks, so that columns stay columns; `-` if empty.
std::string one_word(std::string_view text) {
  std::string word = printable(text, 255);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word.empty() ? "-" : word;
}

StateRow row_of(const Member& member, std::string_view standing) {
  const std::string& where = member.address.empty() ? member.name : member.address;
  return StateRow(one_word(member.job), std::to_string(member.index), one_word(where), printable_line(standing));
}

bool is_of(const MissingMember& missing, const Member& member) {
  return missing.count == 1 && missing.member.index == member.index && missing.member.job == member.job &&
         missing.member.name == member.name && missing.member.uid == member.uid;
}

// Missing members are in the order of the members; runs of free places come after them.
std::vector<StateRow> rows_of(const WaitProgress& progress) {
  std::vector<StateRow> rows;
  auto missing = progress.missing.begin();
  for (const Member& member : progress.status.members) {
    const bool is_missing = missing != progress.missing.end() && is_of(*missing, member);
    if (is_missing) {
      rows.push_back(row_of(member, (missing++)->why));
    } else {
      std::string standing(is_only_listed(member) ? listed_text : "ready");
      if (!member.causes.empty()) standing += ", but " + causes_text(member.causes);  // its machine is not well
      rows.push_back(row_of(member, standing));
    }
  }
  for (; missing != progress.missing.end(); ++missing) {
    StateRow row = row_of(missing->member, missing->why);
    if (missing->count > 1) row.index = fmt::format("{}-{}", missing->member.index, missing->last_index());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string status_text(const std::string& subject, const ClusterVerdict& verdict) {
  WaitProgress whole = verdict.progress;
  whole.missing.clear();  // each has a line of its own
  std::string out = fmt::format("{}: {}\n", printable_line(subject), whole.line());
  const std::vector<StateRow> rows = rows_of(verdict.progress);
  std::size_t job = 0;
  std::size_t index = 0;
  std::size_t address = 0;
  for (const StateRow& row : rows) {
    job = std::min<std::size_t>(std::max(job, columns_of(row.job)), 32);
    index = std::max(index, row.index.size());
    address = std::min<std::size_t>(std::max(address, columns_of(row.address)), 64);
  }
  for (const StateRow& row : rows) {
    out.append(row.job).append(job - std::min(job, columns_of(row.job)), ' ');
    out.append(1 + index - row.index.size(), ' ').append(row.index).append(" ");
    out.append(row.address).append(address - std::min(address, columns_of(row.address)), ' ');
    out.append(" ").append(row.standing).append("\n");
  }
  for (const Notice& notice : verdict.progress.status.notices)
    out += printable_line(fmt::format("notice: {}: {} ({})", notice.subject, to_string(notice.kind), notice.text)) + "\n";
  return out;
}

}  // namespace rollcall::command
