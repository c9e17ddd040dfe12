// A file that is replaced in one step: its readers see what was there before, or what is there now, and never half of it.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// All of `text`; `fd` is closed. 0, or errno.
int write_and_close(int fd, std::string_view text);

enum class Durability { against_readers, against_crashes };
/// The mode of what was there, without set-user-id and the like, else what the mask leaves; or 0600, whatever was there.
enum class FileMode { as_before, for_owner };

/// Writes beside `path` and renames. A file that was there leaves its owner, too, where that is allowed and FileMode::as_before; a symbolic
/// link stays one, and what it leads to is replaced. A link that another user has laid in a folder that is not his is not followed
/// (EACCES). Durability::against_crashes: on the disk before it takes the old one's place. `path` leads to a regular file or to none. 0, or
/// errno.
int replace_regular_file(const std::string& path, std::string_view text, Durability durability, FileMode mode);

/// Opens `path` to be written from its beginning, made where it is not there; no such link of another user's is followed either. The
/// descriptor; -1: errno says why.
int open_to_write(const std::string& path);

// Of a file that `option` names:

/// Before anything is asked: that it can be replaced. Errors: invalid_argument (a folder, a device, a pipe, a link that leads nowhere,
/// a folder that is not there).
Result<void> check_replaceable(std::string_view option, const std::string& path);
/// On the disk before it takes the old one's place. False, and said on standard error: it could not be written.
bool replace_named_file(std::string_view option, const std::string& path, std::string_view text);

}  // namespace rollcall::command
