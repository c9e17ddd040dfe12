// Shared by the parser tests: samples, and inputs that end right before an unreadable page.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/paths.hpp"

namespace rollcall::testing {

inline std::string read_sample(const std::string& name) {
  std::ifstream file(tests_dir() / "samples" / name, std::ios::binary);
  if (!file) throw std::runtime_error("no sample " + name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Names of the samples in `folder` that start with `prefix`, such as "tpu/node.v2.v4-32.json".
inline std::vector<std::string> samples(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(tests_dir() / "samples" / folder)) {
    const std::string name = entry.path().filename();
    if (name.compare(0, prefix.size(), prefix) == 0) names.push_back(folder + "/" + name);
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) throw std::runtime_error("no samples " + folder + "/" + prefix + "*");
  return names;
}

/// Memory whose last byte is the last of a page; reading past it faults.
class GuardedPage {
 public:
  explicit GuardedPage(std::size_t capacity) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (capacity + page_ - 1) / page_ * page_ + page_;
    base_ = static_cast<char*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("mmap");
    if (mprotect(base_ + size_ - page_, page_, PROT_NONE) != 0) throw std::runtime_error("mprotect");
  }
  ~GuardedPage() { munmap(base_, size_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  /// A copy of `text` that ends at the guard.
  std::string_view place(std::string_view text) {
    char* at = base_ + size_ - page_ - text.size();
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return std::string_view(at, text.size());
  }

 private:
  std::size_t page_;
  std::size_t size_ = 0;
  char* base_ = nullptr;
};

/// Calls `parse` with every prefix of `text`, each ending right before an unreadable page.
template <class Parse>
void for_each_prefix(std::string_view text, Parse parse) {
  GuardedPage guard(text.size());
  for (std::size_t size = 0; size <= text.size(); ++size) parse(guard.place(text.substr(0, size)));
}

inline std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace rollcall::testing
