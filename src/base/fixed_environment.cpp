// Environments and files that are fixed maps, for tests and for callers that must not read the real ones.
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "rollcall/local_files.hpp"

namespace rollcall {
namespace {

using Map = std::map<std::string, std::string, std::less<>>;

class FixedEnvironment final : public Environment {
 public:
  explicit FixedEnvironment(Map variables) : variables_(std::move(variables)) {}
  std::optional<std::string> get(std::string_view name) const override {
    const auto at = variables_.find(name);
    if (at == variables_.end()) return std::nullopt;
    return at->second;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables_) names.push_back(name);
    return names;
  }

 private:
  Map variables_;
};

class FixedFiles final : public Files {
 public:
  explicit FixedFiles(Map contents) : contents_(std::move(contents)) {}
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    const auto at = contents_.find(path);
    if (at == contents_.end()) return Failure(Errc::not_found, "there is no such file").with_target(path_text(path));
    if (at->second.size() > max_bytes)
      return Failure(Errc::limit_exceeded, "the file is larger than " + std::to_string(max_bytes) + " bytes").with_target(path_text(path));
    return at->second;
  }

 private:
  Map contents_;
};

}  // namespace

std::vector<std::string> Environment::names() const { return {}; }

Result<void> Environment::set(const std::string& name, const std::string&) const {
  return Failure(Errc::failed_precondition, "the environment cannot be changed: " + printable(name) + " was not set")
      .with_hint("give the Runtime an environment that can be, such as writable_process_environment()");
}

std::optional<bool> Files::is_open_to_others(const std::string&) const { return std::nullopt; }
std::shared_ptr<AwaitedFile> LocalFiles::await_content(std::function<void()>) const { return nullptr; }
std::string LocalFiles::other_writers(const std::string&) const { return {}; }

std::shared_ptr<const Environment> fixed_environment(Map variables) { return std::make_shared<FixedEnvironment>(std::move(variables)); }
std::shared_ptr<const Files> fixed_files(Map contents) { return std::make_shared<FixedFiles>(std::move(contents)); }

}  // namespace rollcall
