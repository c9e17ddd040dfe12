// For commands that ask all their targets together, once, and print the answer.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {

template <class T>
using TogetherQuestion = asio::awaitable<Result<T>> (*)(const Arguments& arguments, std::vector<ClusterPart> parts,
                                                        std::shared_ptr<ClusterResolver> together, CallOptions options);

/// `print` returns the exit code of an answer. Returns the command's exit code.
template <class T>
int answer_together(const Arguments& arguments, TogetherQuestion<T> question, int (*print)(const T& answer, const Arguments& arguments)) {
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  CommandSession asking(arguments, 1);
  if (!asking.open()) return exit_usage;
  const Result<std::vector<ClusterPart>> parts = make_parts(asking.runtime(), *targets, arguments);
  if (!parts) return refuse(parts.error());
  std::optional<Result<T>> answer;
  asking.ask(question(arguments, *parts, put_together(asking.runtime(), *parts), asking.call_options()),
             [&answer](Result<T> result) { answer.emplace(std::move(result)); });
  if (!asking.wait()) return exit_interrupted;
  if (!*answer) return refuse(answer->error());
  return asking.exit_code(print(**answer, arguments));
}

}  // namespace rollcall::command
