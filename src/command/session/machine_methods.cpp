// `whoami`, `doctor`: about the machine that this process runs on.
#include <fmt/format.h>

#include "command/ask/own_place.hpp"
#include "command/session/methods.hpp"
#include "json/json_text.hpp"
#include "render/render_doctor.hpp"
#include "rollcall/doctor.hpp"

namespace rollcall::serve {
namespace {

Answer answer_own_task(std::shared_ptr<ClusterResolver> together, std::vector<command::ClusterPart> parts, CallOptions options) {
  const Result<command::OwnPlace> place = co_await command::ask_own_place(std::move(parts), std::move(together), std::move(options), false);
  if (!place) co_return place.error();
  std::string out = "{";
  append_json_field(out, "job", place->task.job);
  out += fmt::format(",\"index\":{}", place->task.index);
  append_json_field(out, "address", place->address);
  append_json_field(out, "evidence", place->task.evidence);
  co_return out + "}";
}

Answer examine(Runtime runtime, DoctorOptions options, CallOptions call) {
  const Result<DoctorReport> report = co_await try_doctor(std::move(runtime), std::move(options), std::move(call));
  if (!report) co_return report.error();
  co_return render_doctor_json(*report);
}

}  // namespace

Result<Answer> begin_whoami(Asking asking, Question& question) {
  Result<std::vector<command::ClusterPart>> parts = command::make_parts(asking.runtime(), Asking::listed(question), asking.arguments());
  if (!parts) return parts.error();
  std::shared_ptr<ClusterResolver> together = command::put_together(asking.runtime(), *parts);
  return answer_own_task(std::move(together), std::move(*parts), asking.call_options(question));
}

Result<Answer> begin_doctor(Asking asking, Question& question) {
  DoctorOptions options;
  options.project(asking.arguments().project).zone(asking.arguments().zone);
  if (!question.targets.empty()) {
    const Result<void> scheme = command::check_scheme(question.targets.front());
    if (!scheme) return scheme.error();
    options.target(question.targets.front());
  }
  return examine(asking.runtime(), std::move(options), asking.call_options(question));
}

}  // namespace rollcall::serve
