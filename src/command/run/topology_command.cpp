// `rollcall topology`.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_topology.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/cloud_tpu_client.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall::tools {
namespace {

// A word that is no type, and no target either for want of a scheme.
Failure neither(const std::string& word, Failure as_type) {
  const std::optional<std::string> meant = nearest_type(word);
  std::string hint = meant ? fmt::format("did you mean {}? ", *meant) : std::string();
  if (!meant || as_type.code() == Errc::not_found) hint += as_type.hint() + "; ";
  as_type.with_code(Errc::invalid_argument).with_what(fmt::format("{}; nor is it a target: it has no scheme", as_type.what()));
  return as_type.with_hint(fmt::format("{}a target is written tpu:{}", hint, printable(word, 128)));
}

bool write_picture(const std::string& path, const std::string& picture) {
  if (path == "-") return write_result(picture);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool is_written = fd >= 0 && write_all(fd, picture);
  int error = errno;
  if (fd >= 0 && ::close(fd) != 0 && is_written) {
    is_written = false;
    error = errno;
  }
  if (!is_written) complain(fmt::format("--svg: cannot write {}: {}", quoted(path), std::strerror(error)));
  return is_written;
}

int print(const TpuLayout& layout, const Arguments& arguments) {
  if (!arguments.svg_file.empty() && !write_picture(arguments.svg_file, render_topology_svg(layout))) return exit_failed;
  if (arguments.svg_file == "-") return exit_answered;
  const bool is_json = arguments.format == Format::json;
  return write_result(is_json ? render_topology_json(layout) : render_topology_text(layout)) ? exit_answered : exit_failed;
}

class TpuQuestion {
 public:
  TpuQuestion() {}
  std::string target;  // with the defaults filled in
  TpuOptions options;
};

TpuLayout layout_of(const std::string& target, TpuDescription told) {
  TpuLayout layout(std::move(told.accelerator));
  layout.target = target;
  layout.state = std::move(told.state);
  for (const Endpoint& worker : told.workers) layout.workers.push_back(worker.to_text());
  return layout;
}

// `word` with --project, --zone and --api. Errors: invalid_argument: no target, or one that names no TPU.
Result<TpuQuestion> read_tpu_question(const std::string& word, const Arguments& arguments) {
  const Result<void> scheme = check_scheme(word);
  if (!scheme) return scheme.error();
  const Result<std::string> filled = with_defaults(word, arguments);
  if (!filled) return filled.error();
  const Result<Target> target = Target::parse(*filled);
  if (!target) return target.error();
  if (target->scheme != "tpu") {
    return Failure(Errc::invalid_argument, fmt::format("{} names no TPU", quoted(word, 128)))
        .with_hint("give a tpu: target, or an accelerator type such as v4-32");
  }
  const Result<void> keys = check_keys(*target, *find_scheme("tpu"));
  if (!keys) return keys.error();
  Result<TpuOptions> options = tpu_options(*target);
  if (!options) return options.error();
  TpuQuestion question;
  question.target = *filled;
  question.options = std::move(*options);
  return question;
}

// One request for its type and its workers. A TPU that is not READY has a layout without workers. Errors: those of the API;
// malformed_response or not_found when its accelerators are not understood; failed_precondition for a TPU that is no affair of the API's
// (local, grpc://…).
asio::awaitable<Result<TpuLayout>> ask_layout(Runtime runtime, TpuQuestion question, CallOptions options) {
  const std::shared_ptr<CloudTpuClient> client = make_cloud_tpu_client(std::move(runtime), std::move(question.options));
  Result<TpuDescription> told = co_await client->try_description(std::move(options));
  if (told) co_return layout_of(question.target, std::move(*told));
  Failure failure = told.error();
  if (!client->api_available() && failure.code() == Errc::failed_precondition)
    failure.with_hint("name its type instead, such as rollcall topology v4-32");
  co_return failure;
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

}  // namespace rollcall::tools
