// Files of a machine that others use, too: who else can change them, and those whose content comes with time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rollcall/environment.hpp"

namespace rollcall {

/// A file whose content is still to come: see LocalFiles::await_content().
class AwaitedFile {
 public:
  virtual ~AwaitedFile() = default;
  /// Its path, for messages.
  virtual const std::string& path() const = 0;
};

/// What Files may know besides contents; file_system() does. Calls ask for it where RuntimeOptions::files is one.
class LocalFiles : public Files {
 public:
  /// The file that read() refused since this was called last (not_ready) because its content is still to come, as of a pipe that its writer
  /// has not closed; null: there is none, which is the answer unless this is overridden. `then` (may be null) is called once, later and on
  /// the Runtime's executor, when read() has more to say of it. Dropping what is returned ends that wait.
  virtual std::shared_ptr<AwaitedFile> await_content(std::function<void()> then) const;
  /// Who else than this process's user and root can change what the file says, in words: `all users can write it`, `it belongs to user
  /// 1000`, `all users can write the folder '/srv/x'`. Empty: no other user, or it cannot be told, which is the answer unless this is
  /// overridden. What such a file names, a program or a server, is not chosen by its reader alone.
  virtual std::string other_writers(const std::string& path) const;
};

}  // namespace rollcall
