// Replaces a file in one step: readers see either the old or the new content, never a part.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Writes all of `text`; closes `fd`. 0, or errno.
int write_and_close(int fd, std::string_view text);

enum class Durability { against_readers, against_crashes };
/// The mode of the old file without set-id bits, or the default mode if there was none; or always 0600.
enum class FileMode { as_before, for_owner };

/// Writes a file beside `path` and renames it. The owner of the old file stays where that is allowed and with FileMode::as_before; a
/// symbolic link stays, and the file that it leads to is replaced. A link that another user made in a folder that he does not own is not
/// followed (EACCES). Durability::against_crashes: the new file is on the disk before it replaces the old one. `path` leads to a regular
/// file or to none. 0, or errno.
int replace_regular_file(const std::string& path, std::string_view text, Durability durability, FileMode mode);

/// Opens `path` for writing from its beginning, and creates it if it does not exist; does not follow such links either. Returns the
/// descriptor; -1: errno has the reason.
int open_to_write(const std::string& path);

// For a file that `option` names:

/// Checks before any request that the file can be replaced. Errors: invalid_argument (a folder, a device, a pipe, a dangling link, a
/// missing folder).
Result<void> check_replaceable(std::string_view option, const std::string& path);
/// The new file is on the disk before it replaces the old one. False, with a message on standard error: it could not be written.
bool replace_named_file(std::string_view option, const std::string& path, std::string_view text);

}  // namespace rollcall::command
