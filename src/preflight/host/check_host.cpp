// One call: reads the kernel's files, asks the accelerators' and folders' programs side by side, and judges what they said.
#include "rollcall/check_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "async/group.hpp"
#include "base/duration.hpp"
#include "base/host_folders.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "devices/local/look_at_local_devices.hpp"
#include "devices/local/rules/count_local_devices.hpp"
#include "preflight/host/ask_nvhcd.hpp"
#include "preflight/host/look_at_host.hpp"
#include "preflight/host/package_digest.hpp"
#include "preflight/host/rules/judge_host.hpp"
#include "programs/helpful_lines.hpp"

namespace rollcall {
namespace {

// Parts of the call keep it: one that was cancelled may end later.
class HostQuestion {
 public:
  explicit HostQuestion(CheckHostOptions given) : options(std::move(given)) {}
  CheckHostOptions options;
  HostLook look;
};

using SharedQuestion = std::shared_ptr<HostQuestion>;

bool expects_devices(const HostChecks& checks) {
  return checks.expects({"driver", "accelerators", "accelerator", "gpu_memory", "ecc", "mig", "persistence", "nvlinks"});
}

asio::awaitable<Result<void>> ask_devices(Call& call, SharedQuestion question) {
  auto options = std::make_shared<LocalDevicesOptions>(question->options.devices());
  const HostChecks& checks = question->options.checks();
  const bool needs_library = checks.wants("gpu") || checks.wants("in_use") || expects_devices(checks);
  if (!needs_library) options->nvml_program({});
  const std::string root = options->root();
  const Result<LocalLook> found = co_await look_at_local_devices(call, std::move(options));
  HostLook& look = question->look;
  if (!found) {
    if (found.error().code() == Errc::cancelled) co_return found.error();
    look.device_failure = found.error().what();
    co_return Result<void>();
  }
  Runtime::Impl& impl = impl_of(call);
  look.has_devices = true;
  look.machine = found->machine;
  look.nvml = found->nvml;
  look.devices = count_local_devices(found->machine, found->nvml, *impl.environment);
  look_at_sysfs_health(*impl.files, root, look);
  look_at_device_nodes(*impl.files, root, look);
  co_return Result<void>();
}

// What the program of report_program() prints.
asio::awaitable<Result<std::string>> ask_report_program(Call& call, SharedQuestion question, std::vector<std::string> words,
                                                        int patience = 1) {
  Runtime::Impl& impl = impl_of(call);
  std::vector<std::string> command = question->options.report_program();
  command.insert(command.end(), words.begin(), words.end());
  ProgramRequest request(std::move(command));
  request.max_output_bytes = max_host_line_bytes;
  request.timeout =
      std::min(patience * question->options.report_timeout(), saturating_difference(call.deadline(), impl.time->now()) / 5 * 4);
  const Result<ProgramOutput> ended = co_await impl.programs->run(std::move(request));
  if (!ended) co_return ended.error();
  if (ended->signal != 0 || ended->exit_code != 0) {
    const std::string words_of_it = helpful_lines(ended->errors);
    co_return Failure(Errc::failed_precondition,
                      fmt::format("the process that looks at folders ended with {} {}{}{}", ended->signal != 0 ? "signal" : "exit code",
                                  ended->signal != 0 ? ended->signal : ended->exit_code, words_of_it.empty() ? "" : ": ", words_of_it));
  }
  co_return ended->output.reveal();
}

asio::awaitable<Result<void>> ask_software(Call& call, SharedQuestion question) {
  std::vector<std::string> words = {"software"};
  if (!question->options.root().empty()) words.push_back(question->options.root());
  const Result<std::string> output = co_await ask_report_program(call, question, std::move(words));
  HostLook& look = question->look;
  if (!output) {
    if (output.error().code() == Errc::cancelled) co_return output.error();
    look.software_failure = output.error().code() == Errc::response_timeout
                                ? "a folder of packages or libraries does not answer: its file system's server may be down"
                                : output.error().what();
    co_return Result<void>();
  }
  Result<SoftwareLine> software = parse_software_line(*output);
  if (!software) {
    look.software_failure = software.error().what();
    co_return Result<void>();
  }
  look.package_digest = package_digest(software->packages);
  look.software = std::move(*software);
  co_return Result<void>();
}

// A line about a folder or a speed, or why there is none. Errors: cancelled.
template <class Line, class Look>
Result<void> take_line(const Result<std::string>& output, Result<Line> (*parse)(std::string_view), Look& look) {
  if (!output && output.error().code() == Errc::cancelled) return output.error();
  const Result<Line> line = output ? parse(*output) : Result<Line>(output.error());
  if (line) {
    look.found = *line;
  } else {
    look.is_silent = line.error().code() == Errc::response_timeout;
    look.failure = line.error().what();
  }
  return Result<void>();
}

asio::awaitable<Result<void>> ask_folder(Call& call, SharedQuestion question, std::size_t at) {
  std::vector<std::string> words = {"folder", question->look.folders[at].asked.path};
  const Result<std::string> output = co_await ask_report_program(call, question, std::move(words));
  co_return take_line(output, parse_folder_line, question->look.folders[at]);
}

asio::awaitable<Result<void>> ask_speed(Call& call, SharedQuestion question, std::vector<std::string> words, SpeedLook& look) {
  constexpr int patience = 3;  // it measures for two seconds, besides all else
  const Result<std::string> output = co_await ask_report_program(call, question, std::move(words), patience);
  co_return take_line(output, parse_speed_line, look);
}

// The process that copies memory takes 256 MiB, and one that is killed for memory may take its container along.
bool has_little_memory(const HostLook& look) {
  constexpr std::uint64_t enough = std::uint64_t{2} << 30;
  return std::min(look.memory.value_or(enough), look.memory_limit.value_or(enough)) < enough;
}

// One after the other, and alone: they would slow each other down.
asio::awaitable<Result<void>> ask_speeds(Call& call, SharedQuestion question) {
  HostLook& look = question->look;
  const HostChecks& checks = question->options.checks();
  if (question->options.report_program().empty()) co_return Result<void>();
  const bool is_small = has_little_memory(look);
  if (checks.wants("memory_speed")) {
    look.memory_speed.emplace();
    if (is_small) look.memory_speed->failure = "there is less than 2 GiB of it";
  }
  if (look.memory_speed && !is_small) {
    std::vector<std::string> words = {"speed"};
    const Result<void> asked = co_await ask_speed(call, question, std::move(words), *look.memory_speed);
    if (!asked) co_return asked;
  }
  for (FolderLook& folder : look.folders) {
    if (!checks.wants("disk_speed") || folder.asked.is_mount) continue;
    folder.speed.emplace();
    std::vector<std::string> words = {"speed", folder.asked.path};
    const Result<void> asked = co_await ask_speed(call, question, std::move(words), *folder.speed);
    if (!asked) co_return asked;
  }
  co_return Result<void>();
}

// What the command has left in its process group, which this shell leads, ends with it: the rest has a second after SIGTERM.
constexpr const char* shell_of_others = R"(sh -c "$1"
code=$?
find_left() {
  left=
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    set -- ${line##*) }
    pid=${stat#/proc/}
    [ "$3" = $$ ] && [ "$1" != Z ] && [ "${pid%/stat}" != $$ ] && left="$left ${pid%/stat}"
  done
}
find_left
[ -n "$left" ] || exit $code
trap '' TERM
kill -TERM 0
for pause in 1 2 3 4 5 6 7 8 9 10; do
  find_left
  [ -n "$left" ] || exit $code
  sleep 0.1
done
kill -KILL $left
exit $code)";

// Other programs' verdicts: commands, each in a process group of its own, and daemons.
asio::awaitable<Result<void>> ask_other(Call& call, SharedQuestion question, std::size_t at) {
  constexpr Duration patience = std::chrono::seconds(30);
  Runtime::Impl& impl = impl_of(call);
  OtherLook& other = question->look.others[at];
  const Duration given = std::min(patience, saturating_difference(call.deadline(), impl.time->now()) / 5 * 4);
  if (!other.source.socket.empty()) {
    Result<CommandEnd> answered = co_await ask_nvhcd(call, other.source, given);
    if (!answered) co_return answered.error();
    other.end = std::move(*answered);
    co_return Result<void>();
  }
  std::vector<std::string> words = {"/bin/sh", "-c", shell_of_others, "sh", other.source.command};
  ProgramRequest request(std::move(words));
  request.max_output_bytes = std::size_t{1} << 20;
  request.timeout = given;
  const Result<ProgramOutput> ended = co_await impl.programs->run(std::move(request));
  if (ended) {
    other.end.exit_code = ended->exit_code;
    other.end.signal = ended->signal;
    other.end.output = ended->output.reveal();
    other.end.errors = ended->errors;
    co_return Result<void>();
  }
  const Failure& failure = ended.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  if (failure.code() == Errc::response_timeout) {
    other.end.failure = fmt::format("did not end within {}, and was ended", duration_text(given));
  } else if (failure.code() == Errc::limit_exceeded) {
    other.end.failure = "printed more than 1 MiB, and was ended";
  } else {
    other.end.failure = fmt::format("could not be started: {}", failure.what());
  }
  co_return Result<void>();
}

void begin_look(Runtime::Impl& impl, HostQuestion& question) {
  const std::string& root = question.options.root();
  const HostChecks& checks = question.options.checks();
  HostLook& look = question.look;
  look_at_system(*impl.files, root, look);
  for (const VerdictSource& source : checks.others) look.others.emplace_back(source);
  for (const std::uint16_t port : checks.ports) look.ports.push_back(look_at_port(*impl.files, root, port));
  for (const FolderCheck& asked : checks.folders) {
    FolderLook& folder = look.folders.emplace_back();
    folder.asked = asked;
    if (question.options.report_program().empty()) folder.failure = "folders are not looked at: there is no program for it";
  }
}

// Afterwards: what is mounted by itself, as by autofs, is there once a folder was looked at.
void look_at_mounts(Runtime::Impl& impl, HostQuestion& question) {
  if (question.look.folders.empty()) return;
  const HostFolders folders(*impl.files, question.options.root());
  const std::optional<std::string> table = folders.text("/proc/self/mountinfo", HostFolders::max_table_bytes);
  const std::vector<MountEntry> mounts = parse_mount_table(table.value_or(""));
  for (FolderLook& folder : question.look.folders) {
    folder.is_mount_known = table.has_value();
    if (const MountEntry* const mount = mount_of(mounts, folder.asked.path)) folder.mount = *mount;
  }
}

asio::awaitable<Result<HostReport>> look_and_judge(Call& call, SharedQuestion question) {
  begin_look(impl_of(call), *question);
  const HostChecks& checks = question->options.checks();
  std::vector<asio::awaitable<Result<void>>> parts;
  const bool needs_devices = checks.wants("gpu") || checks.wants("in_use") || checks.wants("accelerators") || checks.wants("driver") ||
                             checks.wants("shm") || expects_devices(checks);
  if (needs_devices) parts.push_back(ask_devices(call, question));
  const bool needs_software = checks.wants("packages") || checks.wants("libraries") ||
                              checks.expects({"nccl", "libtpu", "cuda", "libfabric", "python", "packages"});
  if (!question->options.report_program().empty()) {
    if (needs_software) parts.push_back(ask_software(call, question));
    for (std::size_t i = 0; i < question->look.folders.size(); ++i) parts.push_back(ask_folder(call, question, i));
  }
  for (std::size_t i = 0; i < question->look.others.size(); ++i) parts.push_back(ask_other(call, question, i));
  if (!parts.empty()) {
    const Result<void> done = co_await join(std::move(parts));
    if (!done) co_return done.error();
  }
  const Result<void> measured = co_await ask_speeds(call, question);
  if (!measured) co_return measured.error();
  look_at_mounts(impl_of(call), *question);
  HostReport report = judge_host(question->look, checks);
  if (question->look.software && report.fact("packages")) report.packages = std::move(question->look.software->packages);
  co_return report;
}

}  // namespace

asio::awaitable<Result<HostReport>> try_check_host(Runtime runtime, CheckHostOptions options, CallOptions call) {
  const auto question = std::make_shared<HostQuestion>(std::move(options));
  auto script = [question](Call& within) { return look_and_judge(within, question); };
  asio::awaitable<Result<HostReport>> running =
      run_call<HostReport>(shared_impl_of(runtime), std::move(call), CallSubject("checks of this host"), std::move(script));
  co_return co_await std::move(running);
}

asio::awaitable<HostReport> check_host(Runtime runtime, CheckHostOptions options, CallOptions call) {
  return value_or_throw(try_check_host(std::move(runtime), std::move(options), std::move(call)));
}

}  // namespace rollcall
