// Warnings about files that other users of this machine can read or change.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// For a file with a secret that users other than its owner can read.
std::string open_file_warning(const std::string& path);
/// For a file that names programs or servers; `writers`: the users that can change it, from LocalFiles::other_writers().
std::string other_writers_warning(const std::string& path, std::string_view writers);

}  // namespace rollcall
