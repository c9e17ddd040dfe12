// Files whose mode is set by a test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "rollcall/environment.hpp"

namespace rollcall::testing {

/// Fixed files that are all readable by others, or by none.
class ModedFiles final : public Files {
 public:
  ModedFiles(std::map<std::string, std::string, std::less<>> contents, std::optional<bool> is_open)
      : files_(fixed_files(std::move(contents))), is_open_(is_open) {}
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override { return files_->read(path, max_bytes); }
  std::optional<bool> is_open_to_others(const std::string&) const override {
    ++polls;
    return is_open_;
  }
  mutable int polls = 0;

 private:
  std::shared_ptr<const Files> files_;
  std::optional<bool> is_open_;
};

}  // namespace rollcall::testing
