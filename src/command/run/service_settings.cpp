#include "command/run/service_settings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace rollcall::command {
namespace {

// Keeps the text of one file, so that the compared text is the parsed text.
class NotedFile final : public Files {
 public:
  NotedFile(const Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    Result<std::string> text = files_.read(path, max_bytes);
    if (text && path == path_) text_ = *text;
    return text;
  }
  std::optional<bool> is_open_to_others(const std::string& path) const override { return files_.is_open_to_others(path); }
  std::string take_text() { return std::move(text_); }

 private:
  const Files& files_;
  std::string path_;
  mutable std::string text_;
};

// Replaces `before` by `now` if `now` is the beginning of it. A list that restricts something (`may_be_none` is false) does not become
// empty.
template <class Item>
void shorten(std::vector<Item>& before, const std::vector<Item>& now, bool may_be_none) {
  const bool is_beginning = now.size() <= before.size() && std::equal(now.begin(), now.end(), before.begin());
  if (is_beginning && (may_be_none || !now.empty())) before = now;
}

}  // namespace

Result<ServiceSettings> read_service_settings(const Arguments& arguments, const Files& files) {
  ServiceSettings settings;
  FleetServiceOptions& options = settings.options;
  if (!arguments.config_file.empty()) {
    NotedFile noted(files, arguments.config_file);
    Result<FleetServiceOptions> read = read_fleet_settings(arguments.config_file, noted);
    if (!read) return read.error();
    options = std::move(*read);
    settings.text = noted.take_text();
  }
  if (!arguments.listen.empty()) options.listen = arguments.listen;
  if (!arguments.xds_listen.empty()) options.xds_listen = arguments.xds_listen;
  if (!arguments.allow.empty()) options.allow = arguments.allow;
  const Result<void> fine = check_fleet_options(options);
  if (!fine) return fine.error();
  return settings;
}

Result<void> check_not_cut(const ServiceSettings& before, const ServiceSettings& now) {
  const bool is_beginning = now.text.size() < before.text.size() && before.text.starts_with(now.text);
  if (!is_beginning) return Result<void>();
  FleetServiceOptions shortened = before.options;
  shorten(shortened.follow, now.options.follow, true);
  shorten(shortened.allow, now.options.allow, false);
  shorten(shortened.clients, now.options.clients, false);
  shorten(shortened.rights, now.options.rights, false);
  if (shortened == now.options) return Result<void>();
  return Failure(Errc::refused_by_policy,
                 "the file is only the beginning of what it was, and says something else by that: it may have been cut")
      .with_hint("if that is intended, restart the service");
}

}  // namespace rollcall::command
