#include "command/show/whoami_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "command/terminal/columns.hpp"
#include "json/json_text.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::command {
namespace {

std::string number_text(const std::optional<int>& number) { return number ? std::to_string(*number) : "?"; }

// `3 of 8`, `1 of 2:4`.
std::string rank_text(const Testimony& said) {
  if (!said.rank) return "-";
  std::string text = std::to_string(*said.rank);
  if (said.size) text += " of " + std::to_string(*said.size);
  if (said.max_size && said.max_size != said.size) text += ":" + std::to_string(*said.max_size);
  return text;
}

std::string local_text(const Testimony& said) {
  if (!said.local_rank && !said.local_size) return "-";
  return said.local_size ? fmt::format("{} of {}", number_text(said.local_rank), *said.local_size) : number_text(said.local_rank);
}

std::string words_of(const Testimony& said) {
  if (!said.fault.empty()) return said.fault;
  return said.ignored.empty() ? said.evidence : fmt::format("{} (not counted: {})", said.evidence, said.ignored);
}

class WitnessLine {
 public:
  explicit WitnessLine(const Testimony& said)
      : cells{std::string(said.witness), std::string(to_string(said.scope)), rank_text(said), local_text(said), words_of(said)} {}
  WitnessLine() : cells{"WITNESS", "COUNTS", "RANK", "LOCAL", "BY"} {}
  std::string cells[5];
};

std::string accelerators_text(const Accelerators& accelerators) {
  const std::string model = accelerators.model.empty() ? "" : fmt::format(" ({})", printable(accelerators.model, 64));
  return fmt::format("{} {}{}{}{} (source: {})", accelerators.count, printable(accelerators.kind, 32), accelerators.count == 1 ? "" : "s",
                     model, accelerators.is_shared ? " of its machine" : "", printable(accelerators.source, 128));
}

void append_number(std::string& out, std::string_view name, const std::optional<int>& number) {
  if (number) out += fmt::format(",\"{}\":{}", name, *number);
}

std::string testimony_json(const Testimony& said) {
  std::string out = "{";
  append_json_field(out, "witness", said.witness);
  append_json_field(out, "counts", to_string(said.scope));
  append_json_field(out, "rank_name", said.rank_name);
  append_number(out, "rank", said.rank);
  append_number(out, "size", said.size);
  if (said.max_size != said.size) append_number(out, "max_size", said.max_size);
  append_number(out, "local_rank", said.local_rank);
  append_number(out, "local_size", said.local_size);
  append_json_field(out, "evidence", said.evidence);
  if (!said.fault.empty()) append_json_field(out, "fault", said.fault);
  if (!said.ignored.empty()) append_json_field(out, "ignored", said.ignored);
  return out + "}";
}

}  // namespace

std::string render_whoami_text(const std::vector<Testimony>& witnesses, const Result<OwnPlace>& place) {
  std::string out;
  std::vector<WitnessLine> lines(witnesses.empty() ? 0 : 1);
  for (const Testimony& said : witnesses) lines.emplace_back(said);
  for (const WitnessLine& line : lines) {
    for (std::size_t i = 0; i < 4; ++i) {
      std::size_t width = 0;
      for (const WitnessLine& other : lines) width = std::max(width, columns_of(other.cells[i]));
      out += in_column(line.cells[i], width) + "  ";
    }
    out += line.cells[4] + "\n";
  }
  if (witnesses.empty()) out += "no launcher's variable is set\n";
  if (!place) return out;
  out += fmt::format("{} {}, one of {} task{}{}: {}\n", printable(place->task.job, 80), place->task.index, place->tasks,
                     place->tasks == 1 ? "" : "s", place->address.empty() ? "" : fmt::format(" ({})", printable(place->address, 300)),
                     place->task.evidence);
  if (!place->member) return out;
  if (place->member->part) {
    const MemberPart& part = *place->member->part;
    out += fmt::format("{} {}{}{}\n", printable(part.kind, 40), part.index, part.count > 0 ? fmt::format(" of {}", part.count) : "",
                       part.name.empty() ? "" : fmt::format(" ({})", printable(part.name, 100)));
  }
  if (place->member->accelerators) out += accelerators_text(*place->member->accelerators) + "\n";
  return out;
}

std::string render_whoami_json(const std::vector<Testimony>& witnesses, const Result<OwnPlace>& place) {
  std::string out = "{\"testimonies\":[";
  for (const Testimony& said : witnesses) out += (out.back() == '[' ? "" : ",") + testimony_json(said);
  out += "],\"task\":";
  if (place) {
    std::string task = "{";
    append_json_field(task, "job", place->task.job);
    task += fmt::format(",\"index\":{},\"tasks\":{}", place->task.index, place->tasks);
    append_json_field(task, "address", place->address);
    append_json_field(task, "evidence", place->task.evidence);
    out += task + "}";
  } else {
    out += "null";
  }
  if (!place) out += ",\"failure\":" + render_failure_json(TargetFailure("", place.error()));
  return out + "}\n";
}

}  // namespace rollcall::command
