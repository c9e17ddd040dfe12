// Finds a program by name as execvp does.
#pragma once

#include <string>

namespace rollcall {

enum class PathFolders {
  all,       ///< as execvp
  absolute,  ///< skips folders that depend on the working directory
};

/// `name` itself if it has a slash, else the first file of that name in PATH that can be executed. Returns 0 and sets `path`, or errno:
/// ENOENT when there is none.
int find_program(const std::string& name, PathFolders folders, std::string& path);

}  // namespace rollcall
