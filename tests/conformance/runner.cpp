#include "conformance/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <exception>

#include "base/text.hpp"
#include "conformance/case_world.hpp"
#include "conformance/compare.hpp"
#include "conformance/judge.hpp"
#include "conformance/subject.hpp"
#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

// An expectation of the case that failed.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void require(const std::optional<std::string>& broken, const std::string& where = {}) {
  if (broken) throw Broken(where + *broken);
}

class CaseRun {
 public:
  CaseRun(const Case& the_case, Authority& authority) : case_(the_case), world_(the_case, authority), options_(world_.call_options()) {}

  void run() {
    const auto start = std::chrono::steady_clock::now();
    try {
      subject_ = make_subject(case_.resolver, case_.args, world_.setting());
      assign(case_.set);
      for (std::size_t i = 0; i < case_.steps.size(); ++i)
        run_step(case_.steps[i], case_.steps.size() == 1 ? "" : fmt::format("step {}: ", i + 1));
    } catch (const Broken& broken) {
      // An unexpected request explains more than its consequences.
      if (world_.script().unmatched().empty()) throw;
      throw Broken(fmt::format("{}; unexpected request {}", broken.what(), world_.script().unmatched().front()));
    }
    const double elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    require(judge_requests(case_, world_.script(), world_.grpc_script()));
    require(judge_elapsed(case_, elapsed_ms));
    if (!case_.after) return;
    require(judge_environment(*case_.after, world_));
    for (const char* const property : {"task_type", "task_id"}) {
      const json::value* const wanted = case_.after->if_contains(property);
      if (!wanted) continue;
      const Outcome found = call(property, {}, false);
      if (found.failure || mismatch(*wanted, found.value)) {
        throw Broken(fmt::format("expected {} to be {} afterwards, is {}", property, short_text(*wanted), to_text(found, false)));
      }
    }
  }

 private:
  void assign(const json::object& properties) {
    for (const auto& [property, value] : properties) {
      const Outcome outcome = subject_->set(property, value);
      if (outcome.failure)
        throw Broken(fmt::format("set {}: expected to be allowed, came {}", std::string_view(property), to_text(outcome, false)));
    }
  }

  // A step that expects an error may get it from an assignment.
  void run_step(const Step& step, const std::string& where) {
    for (const auto& [name, value] : step.set_env) world_.environment().change(name, value);
    const bool expects_error = std::any_of(step.acceptable.begin(), step.acceptable.end(), [](const Acceptable& a) { return a.is_error; });
    Step judged = step;
    judged.call = step.call.value_or("set");
    for (const auto& [property, value] : step.set) {
      const Outcome outcome = subject_->set(property, value);
      if (!outcome.failure) continue;
      if (!expects_error)
        throw Broken(fmt::format("{}set {}: expected to be allowed, came {}", where, std::string_view(property), to_text(outcome, false)));
      require(judge_outcome(case_, judged, outcome), fmt::format("{}set {}: ", where, std::string_view(property)));
      return;
    }
    if (!step.call && step.acceptable.empty()) return;
    Outcome outcome;
    if (step.call) outcome = call(*step.call, step.call_args, expects_error);
    require(judge_outcome(case_, judged, outcome), fmt::format("{}{}: ", where, *judged.call));
  }

  Outcome call(const std::string& member, const json::object& args, bool expects_error) {
    if (member == "construct" && !expects_error) return Outcome();
    const auto ending = std::make_shared<Ending>();
    auto on_end = [ending](std::exception_ptr error, Outcome result) {
      ending->thrown = error;
      ending->outcome = std::move(result);
      ending->is_there = true;
    };
    asio::co_spawn(world_.io(), member == "construct" ? subject_->first_await(options_) : subject_->call(member, args, options_), on_end);
    if (!world_.run_until(ending->is_there)) throw Broken(member + ": expected an end, came none");
    if (ending->thrown) std::rethrow_exception(ending->thrown);
    return ending->outcome;
  }

  // Shared with the call's handler, which may outlive a call that never ends.
  class Ending {
   public:
    bool is_there = false;
    Outcome outcome;
    std::exception_ptr thrown;
  };

  const Case& case_;
  CaseWorld world_;
  CallOptions options_;
  std::unique_ptr<Subject> subject_;
};

// The library is not a runtime: it has no devices of its own to list.
bool needs_local_runtime(const Case& the_case) { return the_case.has_local_devices && the_case.resolver != "devices"; }

}  // namespace

Verdict run_case(const Case& the_case, Authority& authority) {
  if (!the_case.unknown_keys.empty()) {
    return Verdict(Verdict::Kind::failed, fmt::format("expected keys of the format, came {}", fmt::join(the_case.unknown_keys, ", ")));
  }
  if (needs_local_runtime(the_case)) return Verdict(Verdict::Kind::skipped, "the library has no local runtime whose devices it could list");
  try {
    CaseRun(the_case, authority).run();
  } catch (const NotApplicable& reason) {
    return Verdict(Verdict::Kind::skipped, reason.what());
  } catch (const std::exception& problem) {
    return Verdict(Verdict::Kind::failed, printable(problem.what(), 2000));
  }
  return Verdict(Verdict::Kind::passed, {});
}

}  // namespace rollcall::conformance
