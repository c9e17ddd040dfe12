// Reads files within a call: the call waits for content that has not arrived yet, and warns of files with too open permissions.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <type_traits>

#include "rollcall/call.hpp"

namespace rollcall {

/// Discards the pending state of earlier reads.
void forget_awaited_files(Call& call);
/// Suspends while a file that was read since then has content still to come. True: content has arrived, read again. Cancellable: ends the
/// coroutine by an exception of Asio's, and the call's failure names the file.
asio::awaitable<bool> until_files_came(Call& call);

/// The result of `read()`, which reads files by impl_of(call).files and does not suspend: it is called again whenever a file that it read,
/// such as a pipe, has new content. `read` outlives the wait.
template <class Read>
asio::awaitable<std::invoke_result_t<const Read&>> read_when_there(Call& call, const Read& read) {
  forget_awaited_files(call);
  for (;;) {
    std::invoke_result_t<const Read&> result = read();
    const bool is_partial = co_await until_files_came(call);
    if (!is_partial) co_return result;
  }
}
/// The file at `path`. May suspend; cancellable. Errors: as Files::read().
asio::awaitable<Result<std::string>> read_file(Call& call, const std::string& path, std::size_t max_bytes);
/// The same for a file with a token: that it cannot be had says nothing about what the token is for. Errors: unauthenticated in the place
/// of not_found and permission_denied.
asio::awaitable<Result<std::string>> read_token_file(Call& call, const std::string& path, std::size_t max_bytes);

/// True for a file that users other than its owner can read, and of which a log has no warning yet.
bool is_open_unsaid(Call& call, const std::string& path);
/// Warns, once for each, of a file with a secret that users other than its owner can read.
void warn_of_open_file(Call& call, const std::string& path);
/// As LocalFiles::other_writers().
std::string other_writers(Call& call, const std::string& path);
/// Warns, once for each, of a file that names a program or a server and that other users can change.
void warn_of_other_writers(Call& call, const std::string& path);

}  // namespace rollcall
