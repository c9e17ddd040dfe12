// Measurements that a benchmark takes of its own process.
#pragma once

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {

/// Calls of operator new so far; counted by count_allocations.hpp.
extern std::uint64_t allocations;

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Resident memory in kB.
inline long resident_kb() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

/// Memory in use on the heap in kB: unlike resident_kb() it excludes freed memory that is reused.
inline long heap_kb() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<long>((info.uordblks + info.hblkhd) / 1024);
}

inline int entries(const char* folder) {
  int count = 0;
  if (DIR* dir = opendir(folder)) {
    while (readdir(dir)) ++count;
    closedir(dir);
  }
  return count - 2;  // . and ..
}
inline int descriptors() { return entries("/proc/self/fd") - 1; }  // without the descriptor of the listing itself
inline int threads() { return entries("/proc/self/task"); }

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The number of repetitions: many, or two where scripts/bench --quick only checks that the bench works.
inline int rounds_of(int usual) { return std::getenv("BENCH_QUICK") ? 2 : usual; }

/// A figure for scripts/bench, which names a file for them: its name and value, once for each round.
inline void record(const char* name, double value) {
  const char* const path = std::getenv("BENCH_FIGURES");
  std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  std::fprintf(file, "%s %.9g\n", name, value);
  std::fclose(file);
}

}  // namespace bench
