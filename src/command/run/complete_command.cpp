// `rollcall complete -- WORD...`: called by the shells' completion scripts. Prints a candidate per line, a tab and its meaning; `:files`
// where file names fit. Names of targets come from a search of at most a second, and from a file that caches them for a minute.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>

#include "base/append_formatted.hpp"
#include "base/proxy_url.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/completions.hpp"
#include "command/arguments/parse_arguments.hpp"
#include "command/process/own_environment.hpp"
#include "command/process/replaced_file.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/proxy_settings.hpp"
#include "rollcall/target.hpp"

namespace rollcall::command {
namespace {

constexpr Duration search_limit = std::chrono::seconds(1);  // a user waits at the keyboard
constexpr std::chrono::seconds names_last(60);
constexpr std::size_t max_names = 1000;
constexpr std::size_t max_cached_bytes = 1 << 20;

// Variables that change the result of a search: another project, account, universe or server.
constexpr std::array where_is_searched = {"GOOGLE_CLOUD_PROJECT",
                                          "GCLOUD_PROJECT",
                                          "CLOUDSDK_CORE_PROJECT",
                                          "CLOUDSDK_CORE_ACCOUNT",
                                          "CLOUDSDK_CONFIG",
                                          "CLOUDSDK_ACTIVE_CONFIG_NAME",
                                          "GOOGLE_APPLICATION_CREDENTIALS",
                                          "GOOGLE_CLOUD_UNIVERSE_DOMAIN",
                                          "GCE_METADATA_HOST",
                                          "GCE_METADATA_ROOT",
                                          "GCE_METADATA_IP",
                                          "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU",
                                          "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE",
                                          "TPU_API_DISCOVERY_URL"};

using Names = std::vector<std::string>;

class FoundNames {
 public:
  FoundNames() {}
  Names names;
  bool is_whole = false;  ///< everything was searched
};

asio::awaitable<Result<FoundNames>> read_names(std::shared_ptr<FoundStream> stream) {
  FoundNames found;
  found.is_whole = true;
  while (found.names.size() < max_names) {
    const Result<std::optional<Found>> item = co_await stream->try_next();
    if (!item) found.is_whole = false;  // parts that cannot be searched are left out
    if (!item && item.error().code() == Errc::cancelled) break;
    if (!item) continue;
    if (!*item) break;
    found.names.push_back((*item)->target);
  }
  co_return found;
}

// `a,b`; none if the text is empty.
Names list_of(std::string_view text) {
  Names list;
  for (const std::string_view one : split(text, ','))
    if (!one.empty()) list.emplace_back(one);
  return list;
}

FoundNames search(const WantedNames& wanted) {
  Arguments arguments;
  arguments.timeout = search_limit;
  arguments.is_quiet = true;
  arguments.retries = 0;
  for (const GivenOption& one : wanted.way) {
    if (!apply_option(*one.row, one.value, arguments)) return {};  // the search would use other connection options than the command
  }
  CommandSession asking(arguments, 1);
  asking.hide_progress();
  if (!asking.open()) return {};
  DiscoverOptions options;
  options.kinds({wanted.kind});
  options.projects(list_of(wanted.projects)).zones(list_of(wanted.zones));
  FoundNames found;
  asking.ask(read_names(discover(asking.runtime(), std::move(options), asking.call_options())), [&found](Result<FoundNames> names) {
    if (names) found = std::move(*names);
  });
  asking.wait();
  return found;
}

// A proxy's URL may contain a password: no part of it goes into a file, not even as a hash.
std::string value_for_file(const GivenOption& option) {
  if (option.row->name != "--proxy") return option.value;
  const Result<ProxyUrl> proxy = ProxyUrl::parse(option.value, option.row->name);
  return proxy ? proxy->shown() : std::string();
}

// The cache of names: a file for each question, with the question on its first line.
class NamesFile {
 public:
  explicit NamesFile(const WantedNames& wanted) {
    const std::shared_ptr<const Environment> environment = own_environment();
    const auto variable = [&environment](const char* name) { return environment->get(name).value_or(std::string()); };
    question_ = fmt::format("{} {} {}", static_cast<int>(wanted.kind), wanted.projects, wanted.zones);
    for (const GivenOption& one : wanted.way) question_ += fmt::format(" {}={}", one.row->name, value_for_file(one));
    for (const char* const name : where_is_searched) question_ += fmt::format(" {}={}", name, variable(name));
    // The credentials that the names belong to: a token is long and random, so its hash does not reveal it.
    const Secret<std::string> token(variable("ROLLCALL_ACCESS_TOKEN"));
    question_ += fmt::format(" token={:016x}", token.empty() ? 0 : std::hash<std::string_view>()(token.reveal()));
    const ProxySettings proxy = ProxySettings::from_environment(*environment);
    const Result<ProxyUrl> way = ProxyUrl::parse(proxy.url.reveal(), proxy.from);
    question_ += fmt::format(" proxy={} except={}", way ? way->shown() : std::string(), proxy.exceptions);
    question_ = printable_line(question_);
    std::string caches = variable("XDG_CACHE_HOME");
    if (caches.empty() && !variable("HOME").empty()) caches = variable("HOME") + "/.cache";
    if (!caches.starts_with('/')) return;
    caches_ = std::move(caches);
    folder_ = caches_ + "/rollcall";
    path_ = fmt::format("{}/names-{:016x}", folder_, std::hash<std::string>()(question_));
  }

  std::optional<Names> read() const {
    struct stat folder{};
    struct stat status{};
    if (path_.empty() || ::lstat(folder_.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode) || !is_ours_alone(folder)) return std::nullopt;
    if (::lstat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !is_ours_alone(status)) return std::nullopt;
    const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(status.st_mtime);
    if (age > names_last || age < -names_last) return std::nullopt;
    const Result<std::string> text = file_system()->read(path_, max_cached_bytes);
    if (!text) return std::nullopt;
    Names names;
    for (const std::string_view line : split(*text, '\n')) names.emplace_back(line);
    if (names.size() < 2 || names.front() != question_) return std::nullopt;
    names.erase(names.begin());
    names.pop_back();  // after the last line's end
    return names;
  }

  // If the file cannot be written, the next run searches again.
  void write(const Names& names) const {
    if (path_.empty() || !is_made(caches_) || !is_made(folder_)) return;
    std::string text = question_ + "\n";
    for (const std::string& name : names) text += printable_line(name) + "\n";
    replace_regular_file(path_, text, Durability::against_readers, FileMode::for_owner);
  }

 private:
  // No other user can change a file of ours in a folder of ours.
  static bool is_ours_alone(const struct stat& status) {
    return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }
  static bool is_made(const std::string& folder) { return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST; }

  std::string question_;
  std::string caches_;
  std::string folder_;
  std::string path_;  ///< empty: no place for it
};

// Accepts only texts that are targets, since a shell may evaluate them.
bool is_target(const std::string& name) {
  const Result<Target> target = Target::parse(name);
  return target && target->to_text() == name;
}

Names names_of(const WantedNames& wanted) {
  const NamesFile file(wanted);
  if (std::optional<Names> kept = file.read()) {
    std::erase_if(*kept, [](const std::string& name) { return !is_target(name); });
    return std::move(*kept);
  }
  FoundNames found = search(wanted);
  if (found.is_whole && !found.names.empty()) file.write(found.names);
  return std::move(found.names);
}

}  // namespace

int run_complete(Arguments arguments) {
  const std::vector<std::string>& words = arguments.program;
  Completions found = complete(words);
  if (found.names) {
    for (std::string& name : names_of(*found.names)) {
      if (name.starts_with(words.back())) found.candidates.emplace_back(std::move(name), "");
    }
  }
  std::string out;
  for (const Candidate& one : found.candidates) append_formatted(out, "{}\t{}\n", printable_line(one.word), printable_line(one.what));
  if (found.wants_files) out += ":files\n";
  return write_bytes(out) ? exit_answered : exit_failed;  // escaped above; the tabs stay
}

}  // namespace rollcall::command
