// Runs a fuzz target without a fuzzer: over every file of the given folders, and over cut and flipped copies of each.
// Deterministic; prints how many inputs it ran, and fails when there was none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

void run(const Bytes& input) {
  const Bytes exact(input);  // no spare capacity, so that reading past the end is seen
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::size_t run_variants(const Bytes& seed) {
  constexpr std::size_t most_variants = 48;  // of each kind; a whole replay stays within seconds
  std::size_t count = 1;
  run(seed);
  const std::size_t step = std::max<std::size_t>(1, seed.size() / most_variants);
  for (std::size_t cut = 0; cut < seed.size(); cut += step) {
    run(Bytes(seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(cut)));
    Bytes flipped(seed);
    flipped[cut] = static_cast<std::uint8_t>(flipped[cut] ^ (1U << (cut % 8)));
    run(flipped);
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
  std::size_t files = 0;
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& path : files_of(argv[i])) {
      inputs += run_variants(read_file(path));
      ++files;
    }
  }
  std::printf("replayed %zu inputs from %zu files\n", inputs, files);
  return files == 0 ? 1 : 0;
}
