// Files of a machine with several users: other users that can change a file, and files whose content arrives later.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rollcall/environment.hpp"

namespace rollcall {

/// A file whose content has not arrived yet: see LocalFiles::await_content().
class AwaitedFile {
 public:
  virtual ~AwaitedFile() = default;
  /// Its path, for messages.
  virtual const std::string& path() const = 0;
};

/// Optional extension of Files; file_system() implements it. Calls use it if RuntimeOptions::files implements it.
class LocalFiles : public Files {
 public:
  /// The last file that read() refused (not_ready) because its content has not arrived, such as a pipe whose writer has not closed it;
  /// reported once. Null: there is none; that is the default. `then` (may be null) is called once, later and on the Runtime's executor,
  /// when another read() can make progress. Dropping the returned object ends the wait.
  virtual std::shared_ptr<AwaitedFile> await_content(std::function<void()> then) const;
  /// Describes the users, other than this process's user and root, that can change the file's content: `all users can write it`, `it
  /// belongs to user 1000`, `all users can write the folder '/srv/x'`. Empty: no other user, or not known; that is the default. A program
  /// or server that such a file names may have been chosen by another user.
  virtual std::string other_writers(const std::string& path) const;
};

}  // namespace rollcall
