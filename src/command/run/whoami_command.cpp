// `rollcall whoami`: which task of a cluster this process is, and what each launcher says about it.
#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/ask/own_place.hpp"
#include "command/run/one_question.hpp"
#include "command/show/whoami_text.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {
namespace {

// A failure is printed behind what the witnesses say.
class WhoamiAnswer {
 public:
  WhoamiAnswer() {}
  Result<OwnPlace> place = OwnPlace();
};

// The cluster is asked for even where no variable says anything: an address may be the
// evidence.
asio::awaitable<Result<WhoamiAnswer>> ask_whoami(const Arguments&, std::vector<ClusterPart> parts,
                                                 std::shared_ptr<ClusterResolver> together, CallOptions options) {
  WhoamiAnswer answer;
  answer.place = co_await ask_own_place(std::move(parts), std::move(together), std::move(options), true);
  co_return answer;
}

int print_whoami(const WhoamiAnswer& answer, const Arguments& arguments) {
  const std::vector<Testimony> witnesses = hear_witnesses(*process_environment());
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_whoami_json(witnesses, answer.place) : render_whoami_text(witnesses, answer.place)))
    return exit_failed;
  return answer.place ? exit_answered : refuse(answer.place.error());
}

}  // namespace

int run_whoami(Arguments arguments) {
  if (arguments.positionals.empty()) arguments.positionals.emplace_back("auto:");
  return answer_together(arguments, ask_whoami, print_whoami);
}

}  // namespace rollcall::command
