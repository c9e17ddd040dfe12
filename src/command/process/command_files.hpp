// The file system for the command: it can also read pipes.
#pragma once

#include <asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "command/process/pipe_reading.hpp"
#include "rollcall/credentials.hpp"
#include "rollcall/local_files.hpp"
#include "rollcall/time.hpp"

namespace rollcall::command {

/// Keeps the content of pipes, since a pipe can be read only once. A pipe is read on the first request, as data arrives: nothing here
/// blocks on its writer. Not thread-safe.
class CommandFiles final : public LocalFiles {
 public:
  explicit CommandFiles(asio::any_io_executor executor) : files_(file_system()), executor_(std::move(executor)) {}
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override;
  std::shared_ptr<AwaitedFile> await_content(std::function<void()> then) const override;
  std::optional<bool> is_open_to_others(const std::string& path) const override { return files_->is_open_to_others(path); }
  std::string other_writers(const std::string& path) const override;

 private:
  const std::shared_ptr<const Files> files_;
  const asio::any_io_executor executor_;
  mutable std::map<std::string, std::shared_ptr<PipeReading>, std::less<>> pipes_;
  mutable std::shared_ptr<PipeReading> awaited_;  ///< the last refusal
};

/// The token of --token-file. A regular file is read at every use. A file that can be read only once, such as a pipe, is read now, to its
/// end, for at most `timeout`. This blocks, so call it only before the event loop runs. Errors: invalid_argument.
Result<std::shared_ptr<Credentials>> given_token(const std::string& path, Duration timeout);

}  // namespace rollcall::command
