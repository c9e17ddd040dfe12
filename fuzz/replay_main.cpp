// fuzz_replay TARGET FOLDER…: runs a fuzz target without a fuzzer, over every file of the given folders, and over truncated and modified
// copies of each. Deterministic; prints how many inputs it ran, and fails when there was none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

// All targets are parts of this program, each under a name of its own.
#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

Target find_target(std::string_view wanted) {
#define FUZZ_TARGET(name) \
  if (wanted == #name) return fuzz_##name;
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
  return nullptr;
}

using Bytes = std::vector<std::uint8_t>;

void run(Target target, const Bytes& input) {
  const Bytes exact(input);  // no spare capacity, so that reading past the end is detected
  target(exact.data(), exact.size());
}

std::size_t run_variants(Target target, const Bytes& seed) {
  constexpr std::size_t max_variants = 48;  // of each kind; a whole replay stays within seconds
  std::size_t count = 1;
  run(target, seed);
  const std::size_t step = std::max<std::size_t>(1, seed.size() / max_variants);
  for (std::size_t cut = 0; cut < seed.size(); cut += step) {
    run(target, Bytes(seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(cut)));
    Bytes flipped(seed);
    flipped[cut] = static_cast<std::uint8_t>(flipped[cut] ^ (1U << (cut % 8)));
    run(target, flipped);
    count += 2;
  }
  return count;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(stream), {});
}

std::vector<std::filesystem::path> files_of(const char* folder) {
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  if (std::filesystem::is_regular_file(folder, failed)) return {folder};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, failed)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const Target target = argc > 1 ? find_target(argv[1]) : nullptr;
  if (!target) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FOLDER...\n");
    return 2;
  }
  std::size_t files = 0;
  std::size_t inputs = 0;
  for (int i = 2; i < argc; ++i) {
    for (const auto& path : files_of(argv[i])) {
      inputs += run_variants(target, read_file(path));
      ++files;
    }
  }
  std::printf("replayed %zu inputs from %zu files\n", inputs, files);
  return files == 0 ? 1 : 0;
}
