// What is said of a file that other users of this machine can read or change.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// Of one with a secret in it that others than its owner can read.
std::string open_file_warning(const std::string& path);
/// Of one that names programs or servers; `writers`: who can change it, as LocalFiles::other_writers() has it.
std::string other_writers_warning(const std::string& path, std::string_view writers);

}  // namespace rollcall
