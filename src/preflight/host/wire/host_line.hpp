// The lines that a process prints which has looked at folders for a preflight: they may lie on a server that does not answer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

inline constexpr std::size_t max_packages = 20000;
inline constexpr std::size_t max_host_line_bytes = 4 << 20;

/// A folder, and the file system that it lies in.
class FolderLine {
 public:
  FolderLine() {}
  std::string error;  ///< why it cannot be listed; empty: it can
  std::uint64_t free_bytes = 0;  ///< for users other than root
  std::uint64_t total_bytes = 0;
  bool is_read_only = false;
  bool is_out_of_files = false;  ///< it counts its files, and has none left to give
  friend bool operator==(const FolderLine&, const FolderLine&) = default;
};
std::string write_folder_line(const FolderLine& folder);
/// The last line of `output`. Errors: malformed_response.
Result<FolderLine> parse_folder_line(std::string_view output);

/// How fast memory is copied, or a disk is written to and read from, in bytes a second.
class SpeedLine {
 public:
  SpeedLine() {}
  std::string error;  ///< why it was not measured; empty: it was
  std::uint64_t copied = 0;
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  friend bool operator==(const SpeedLine&, const SpeedLine&) = default;
};
std::string write_speed_line(const SpeedLine& speed);
Result<SpeedLine> parse_speed_line(std::string_view output);

/// Programs' libraries, and the packages of a Python.
class SoftwareLine {
 public:
  SoftwareLine() {}
  std::string python;         ///< its version, `3.11`; empty: there is none, or it is not known
  std::string python_unknown;  ///< why it is not known; empty: it is, or there is none
  std::vector<std::string> packages;  ///< `numpy-2.1.0`, in order, each once
  std::map<std::string, std::string> libraries;  ///< versions by name: `nccl`, `cuda`
  friend bool operator==(const SoftwareLine&, const SoftwareLine&) = default;
};
std::string write_software_line(const SoftwareLine& software);
Result<SoftwareLine> parse_software_line(std::string_view output);

/// `numpy-2.1.0` of `numpy-2.1.0.dist-info` or `numpy-2.1.0.egg-info`, the name as Python compares it: in lower case, `-` and `.` as `_`.
/// Empty: another name.
std::string package_of_folder(std::string_view name);
/// The version of package `name` in a list of those; empty: it is not there.
std::string package_version(const std::vector<std::string>& packages, std::string_view name);
/// `2.28.3` of `libnccl.so.2.28.3`; empty: another name, or a number alone.
std::string library_version(std::string_view file, std::string_view library);
/// The version in /usr/local/cuda/version.json; empty: not there.
std::string cuda_version(std::string_view text);
/// The value of a key in a pyvenv.cfg; empty: not there.
std::string venv_value(std::string_view text, std::string_view key);

}  // namespace rollcall
