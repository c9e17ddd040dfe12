// Many targets, each asked on its own.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "async/group.hpp"
#include "command/arguments/targets.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::command {

using MadeResolver = Result<std::shared_ptr<ClusterResolver>>;

/// A resolver for each target, or why there is none.
inline std::vector<MadeResolver> make_each(const Runtime& runtime, const std::vector<ListedTarget>& targets, const Arguments& arguments) {
  std::vector<MadeResolver> made;
  for (const ListedTarget& target : targets) made.push_back(make_listed(runtime, target, arguments));
  return made;
}

/// A question for one target, and what is called with whether it was answered; the latter may be empty.
template <class T>
using TargetQuestion = std::function<asio::awaitable<Result<T>>(const std::string& target, std::shared_ptr<ClusterResolver> resolver)>;
using OnAnswered = std::function<void(bool is_answered)>;

template <class T>
asio::awaitable<Result<T>> ask_and_report(asio::awaitable<Result<T>> question, const OnAnswered& on_answered) {
  Result<T> answer = co_await std::move(question);
  if (on_answered) on_answered(answer.has_value());
  co_return answer;
}

/// As many answers as targets, in their order; of a target without a resolver, why there is none. All are asked side by side. May suspend;
/// cancellable: the answers that are missing are Errc::cancelled then.
template <class T>
asio::awaitable<Result<std::vector<Result<T>>>> ask_each_target(std::vector<ListedTarget> targets, std::vector<MadeResolver> resolvers,
                                                                TargetQuestion<T> question, OnAnswered on_answered) {
  std::vector<asio::awaitable<Result<T>>> questions;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (resolvers[i]) questions.push_back(ask_and_report<T>(question(targets[i].text, *resolvers[i]), on_answered));
  }
  std::vector<Result<T>> found = co_await gather(std::move(questions));
  std::vector<Result<T>> answers;
  auto next = found.begin();
  for (const MadeResolver& resolver : resolvers) answers.push_back(resolver ? std::move(*next++) : Result<T>(resolver.error()));
  co_return answers;
}

}  // namespace rollcall::command
