// `rollcall topology`.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/ask/ask_topology.hpp"
#include "command/process/replaced_file.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

// Handles a word that is not a type, and has no scheme, so it is not a target either.
Failure neither(const std::string& word, Failure as_type) {
  const std::optional<std::string> meant = nearest_type(word);
  std::string hint = meant ? fmt::format("did you mean {}? ", *meant) : std::string();
  if (!meant || as_type.code() == Errc::not_found) hint += as_type.hint() + "; ";
  as_type.with_code(Errc::invalid_argument).with_what(fmt::format("{}; nor is it a target: it has no scheme", as_type.what()));
  return as_type.with_hint(fmt::format("{}a target is written tpu:{}", hint, printable(word, 128)));
}

bool write_picture(const std::string& path, const std::string& picture) {
  if (path == "-") return write_result(picture);
  const int fd = open_to_write(path);
  bool is_written = fd >= 0 && write_all(fd, picture);
  int error = errno;
  if (fd >= 0 && ::close(fd) != 0 && is_written) {
    is_written = false;
    error = errno;
  }
  if (!is_written) complain(fmt::format("--svg: cannot write {}: {}", quoted_path(path), std::strerror(error)));
  return is_written;
}

int print(const TpuLayout& layout, const Arguments& arguments) {
  if (!arguments.svg_file.empty() && !write_picture(arguments.svg_file, render_topology_svg(layout))) return exit_failed;
  if (arguments.svg_file == "-") return exit_answered;
  const bool is_json = arguments.format == Format::json;
  return write_result(is_json ? render_topology_json(layout) : render_topology_text(layout)) ? exit_answered : exit_failed;
}

int ask(const TpuQuestion& question, const Arguments& arguments) {
  CommandSession asking(arguments, 1);
  if (!asking.open()) return exit_usage;
  std::optional<Result<TpuLayout>> layout;
  asking.ask(ask_layout(asking.runtime(), question, asking.call_options()),
             [&layout](Result<TpuLayout> answer) { layout.emplace(std::move(answer)); });
  if (!asking.wait()) return exit_interrupted;
  return asking.exit_code(*layout ? print(**layout, arguments) : refuse(layout->error()));
}

}  // namespace

int run_topology(Arguments arguments) {
  const std::string& word = arguments.positionals.front();
  const Result<AcceleratorType> type = AcceleratorType::parse(word);
  if (type) return print(TpuLayout(*type), arguments);
  if (word.find(':') == std::string::npos) return refuse(neither(word, type.error()));
  const Result<TpuQuestion> question = read_tpu_question(word, arguments);
  return question ? ask(*question, arguments) : refuse(question.error());
}

}  // namespace rollcall::command
