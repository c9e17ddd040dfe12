// Cases of `cluster_spec`: the value itself; nothing suspends.
#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "conformance/arguments.hpp"
#include "conformance/cluster_def_wire.hpp"
#include "conformance/subject.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall::conformance {
namespace {

template <class T>
json::value to_json(const std::vector<T>& items) {
  json::array result;
  for (const T& item : items) result.emplace_back(item);
  return result;
}

json::value to_json(const std::vector<std::optional<std::string>>& items) {
  json::array result;
  for (const auto& item : items) result.push_back(item ? json::value(*item) : json::value());
  return result;
}

json::value to_json(int number) { return number; }
json::value to_json(const std::string& text) { return json::value(text); }

template <class T>
Outcome outcome_of(const Result<T>& result) {
  return result ? Outcome(to_json(*result)) : Outcome(result.error());
}

class ClusterSpecSubject final : public Subject {
 public:
  explicit ClusterSpecSubject(Result<ClusterSpec> spec) : spec_(std::move(spec)) {}

  asio::awaitable<Outcome> call(std::string member, const json::object& values, CallOptions) override {
    if (!spec_) co_return Outcome(spec_.error());
    Arguments args(values, member);
    Outcome outcome = answer(member, args);
    args.finish();
    co_return outcome;
  }

  asio::awaitable<Outcome> first_await(CallOptions) override { co_return spec_ ? Outcome() : Outcome(spec_.error()); }

 private:
  Outcome answer(const std::string& member, Arguments& args) const {
    const ClusterSpec& spec = *spec_;
    if (member == "as_dict") return Outcome(json::parse(spec.to_json()));
    if (member == "as_cluster_def") return Outcome(decode_cluster_def(spec.to_cluster_def()));
    if (member == "round_trips") return round_trips();
    if (member == "repr") return Outcome(json::value(spec.to_text()));
    if (member == "bool") return Outcome(json::value(static_cast<bool>(spec)));
    if (member == "jobs") return Outcome(to_json(spec.jobs()));
    if (member == "equals") {
      const Result<ClusterSpec> other = ClusterSpec::from_json(json::serialize(args.required("other")));
      return other ? Outcome(json::value(spec == *other)) : Outcome(other.error());
    }
    if (member == "num_tasks") return outcome_of(spec.num_tasks(args.required_text("job")));
    if (member == "task_indices") return outcome_of(spec.task_indices(args.required_text("job")));
    if (member == "job_tasks") return outcome_of(spec.job_tasks(args.required_text("job")));
    if (member == "task_address") {
      const std::string job = args.required_text("job");
      return outcome_of(spec.task_address(job, args.required_integer("index")));
    }
    throw NotUnderstood(fmt::format("a cluster spec has no '{}'", member));
  }

  // The ClusterDef that a copy, a round trip through the ClusterDef and one through as_dict all preserve.
  Outcome round_trips() const {
    const std::string bytes = spec_->to_cluster_def();
    const ClusterSpec copy = *spec_;
    const Result<ClusterSpec> from_def = ClusterSpec::from_cluster_def(bytes);
    if (!from_def) return Outcome(from_def.error());
    const Result<ClusterSpec> from_dict = ClusterSpec::from_json(spec_->to_json());
    if (!from_dict) return Outcome(from_dict.error());
    for (const ClusterSpec* spec : {&copy, &*from_def, &*from_dict}) {
      const json::value trip = decode_cluster_def(spec->to_cluster_def());
      if (trip != decode_cluster_def(bytes)) return Outcome(trip);
    }
    return Outcome(decode_cluster_def(bytes));
  }

  Result<ClusterSpec> spec_;
};

}  // namespace

std::unique_ptr<Subject> make_cluster_spec_subject(const json::object& values) {
  Arguments args(values, "cluster_spec");
  const json::value* const definition = args.value("cluster_def");
  Result<ClusterSpec> spec = definition
                                 ? ClusterSpec::from_cluster_def(encode_cluster_def(*definition))
                                 : ClusterSpec::from_json(values.contains("cluster") ? json::serialize(values.at("cluster")) : "null");
  args.value("cluster");
  args.finish();
  return std::make_unique<ClusterSpecSubject>(std::move(spec));
}

}  // namespace rollcall::conformance
