// Matches of patterns with targets, and that no spelling of a target evades a pattern.
#include <catch2/catch.hpp>

#include "fleet/rights/rules/right_table.hpp"
#include "fleet/rights/rules/target_pattern.hpp"
#include "fleet/wire/served_target.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

bool matches(const std::string& pattern, const std::string& target) {
  const Result<TargetPattern> parsed = TargetPattern::parse(pattern);
  const Result<Target> asked = Target::parse(target);
  if (!parsed) FAIL(parsed.error().message());
  if (!asked) FAIL(asked.error().message());
  const bool does = parsed->matches(*asked);
  CHECK(parsed->matches(canonical_target(*asked)) == does);
  return does;
}

}  // namespace

TEST_CASE("a pattern's scheme is a target's, its name has stars, and its keys must be there") {
  CHECK(matches("*", "gce:g,project=p,region=r,port=1"));
  CHECK(matches("tpu:*", "tpu:trainer"));
  CHECK(matches("tpu:*", "tpu:qr/trainer,project=p"));
  CHECK(matches("tpu:train-*", "tpu:train-1,zone=z"));
  CHECK(matches("kubernetes:train", "kubernetes:train/jobset/t"));
  CHECK(matches("kubernetes:tr*", "kubernetes:train/jobset/t,port=1"));
  CHECK(matches("kubernetes:train/jobset/*", "kubernetes:train/jobset/t"));
  CHECK_FALSE(matches("kubernetes:train/jobset/*", "kubernetes:train/job/t"));
  CHECK_FALSE(matches("kubernetes:train", "kubernetes:training/jobset/t"));
  CHECK_FALSE(matches("kubernetes:train/jobset/t", "kubernetes:train"));
  CHECK_FALSE(matches("tpu:train-*", "tpu:qr/train-1,zone=z"));
  CHECK_FALSE(matches("tpu:qr/*", "tpu:train-1"));
  CHECK_FALSE(matches("tpu:*", "gce:trainer,port=1"));
  CHECK(matches("tpu:*,project=p,zone=us-*", "tpu:a,zone=us-central2-b,project=p,job=w"));
  CHECK_FALSE(matches("tpu:*,project=p,zone=us-*", "tpu:a,zone=europe-west4-a,project=p"));
  CHECK_FALSE(matches("tpu:*,project=p,zone=us-*", "tpu:a,project=p"));
  CHECK_FALSE(matches("tpu:*,project=p,zone=us-*", "tpu:a,zone=us-central2-b"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=P"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=pp"));
  CHECK(matches("kubernetes:train", "kubernetes:train,job.worker=app=x"));
  CHECK(matches("kubernetes:train,*", "kubernetes:train,job.worker=app=x"));
  CHECK_FALSE(matches("kubernetes:train", "kubernetes:training,job.worker=app=x"));
  CHECK_FALSE(matches("kubernetes:train", "kubernetes:prod,job.worker=app=train"));
  CHECK(matches("kubernetes:train,context=gke", "kubernetes:train,context=gke"));
  CHECK_FALSE(matches("kubernetes:train,context=gke", "kubernetes:train"));
}

TEST_CASE("each item of a key must match one of the pattern's") {
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=p+q"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=q+p"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=p+"));
  CHECK(matches("tpu:*,project=p+q", "tpu:a,project=q"));
  CHECK_FALSE(matches("tpu:*,zone=us-*+eu-*", "tpu:a,zone=us-a+asia-b"));
}

TEST_CASE("an empty value counts as a missing key, and no pattern matches it") {
  CHECK_FALSE(matches("tpu:*,zone=*", "tpu:a,zone="));
  CHECK_FALSE(matches("tpu:*,zone=*", "tpu:a"));
  CHECK(matches("tpu:*,zone=*", "tpu:a,zone=-"));
  CHECK_FALSE(matches("tpu:*,zone=us-*", "tpu:a,zone=-"));
  CHECK_FALSE(TargetPattern::parse("tpu:*,zone=").has_value());
}

TEST_CASE("a full name is what it says: its place counts where the keys give none, as its resolver has it") {
  const std::string full = "tpu:projects/evil/locations/us-b/nodes/n";
  CHECK_FALSE(matches("tpu:*,project=p", full));
  CHECK(matches("tpu:n,project=evil,zone=us-*", full));
  CHECK(matches("tpu:*,project=p", full + ",project=p"));  // the key wins
  CHECK_FALSE(matches("tpu:*,project=p,zone=us-*", full + ",project=p,zone=eu-a"));
  CHECK_FALSE(matches("tpu:*,project=p", full + ",project="));
  CHECK_FALSE(matches("tpu:projects/p/*", full));
  CHECK(matches("tpu:qr/n,project=evil", "tpu:projects/evil/locations/us-b/queuedResources/n"));
  CHECK(matches("tpu:qr/n,project=evil", "tpu:qr/projects/evil/locations/us-b/queuedResources/n"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:qr/projects/evil/locations/us-b/queuedResources/n"));
  CHECK(matches("tpu:projects/p/locations/z/nodes/n", "tpu:n,project=p,zone=z"));
}

TEST_CASE("escapes are of the spelling, and take no part") {
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a%2Cproject=p"));
  CHECK_FALSE(matches("tpu:*,project=p", "tpu:a,project=p%2Bq"));
  CHECK(matches("tpu:*,project=p", "tpu:a,project=%70"));
  CHECK_FALSE(matches("tpu:train", "tpu:%74rain%2F"));
}

TEST_CASE("a region stands in the place of a zone") {
  CHECK_FALSE(matches("gce:*,project=p,zone=*", "gce:g,project=p,region=us-central1,port=1"));
  CHECK_FALSE(matches("gce:*,project=p,zone=*", "gce:g,project=p,zone=us-a,region=us-central1,port=1"));
  CHECK(matches("gce:*,project=p,region=us-*", "gce:g,project=p,region=us-central1,port=1"));
}

TEST_CASE("each name of a dns: target must match, in small letters and without its port") {
  CHECK(matches("dns:*.train.example", "dns:a.train.example,port=1"));
  CHECK(matches("dns:*.train.example", "dns:A.Train.Example.:8470,b.train.example"));
  CHECK_FALSE(matches("dns:*.train.example", "dns:evil.example,a.train.example"));
  CHECK_FALSE(matches("dns:*.train.example", "dns:a.train.example,evil.example"));
  CHECK_FALSE(matches("dns:*.train.example", "dns:evil.example:1.train.example"));
  CHECK_FALSE(matches("dns:*.train.example", "dns:a.train.example.evil"));
}

TEST_CASE("what nothing would match is no pattern") {
  for (const char* text : {"", "tpu", "tpu:", "tpu:*,proyect=p", "TPU:*", "*:*", "file:/etc/passwd", "tpu:*,endpoint=http://x",
                           "kubernetes:.", "tpu:a,project=p,project=q", "mpi:*", "**", "tpu:local"}) {
    const Result<TargetPattern> parsed = TargetPattern::parse(text);
    INFO(text);
    CHECK_FALSE(parsed.has_value());
    CHECK((parsed || parsed.error().code() == Errc::invalid_argument));
  }
}

TEST_CASE("what may be named: patterns, and what is followed; dns: only by its name") {
  RightTable table;
  const auto is_allowed = [&table](const std::string& text) { return table.is_allowed(Target::parse(text).value()); };
  CHECK(is_allowed("dns:anything.example"));  // clients are not distinguished, and nothing is listed
  table.distinguishes_clients = true;
  CHECK_FALSE(is_allowed("tpu:a,project=p,zone=z"));
  table.allowed = parse_patterns({"*"}, "allow").value();
  CHECK(is_allowed("tpu:a,project=p,zone=z"));
  CHECK_FALSE(is_allowed("dns:internal.example"));
  table.allowed = parse_patterns({"dns:*"}, "allow").value();
  CHECK_FALSE(is_allowed("dns:internal.example"));
  table.allowed = parse_patterns({"dns:*.train.example"}, "allow").value();
  CHECK(is_allowed("dns:a.train.example"));
  CHECK_FALSE(is_allowed("kubernetes:train"));
  FleetPlace place;
  place.kind = FleetPlace::Kind::tpu;
  place.project = "p";
  place.zones = {"z"};
  table.followed.push_back(place);
  FleetPlace jobs;
  jobs.kind = FleetPlace::Kind::kubernetes;
  jobs.namespaces = {"train"};
  table.followed.push_back(jobs);
  CHECK(is_allowed("tpu:a,project=p,zone=z"));
  CHECK(is_allowed("tpu:projects/p/locations/z/nodes/a"));
  CHECK_FALSE(is_allowed("tpu:projects/q/locations/z/nodes/a"));
  CHECK_FALSE(is_allowed("tpu:a,project=p,zone=y"));
  CHECK_FALSE(is_allowed("tpu:a,project=p,zone=z+y"));
  CHECK_FALSE(is_allowed("gce:g,project=p,zone=z,region=r,port=1"));
  CHECK_FALSE(is_allowed("gce:g,project=p,zone=z,port=1"));  // of another kind than the followed ones there
  CHECK(is_allowed("kubernetes:train,job.worker=a"));
  CHECK_FALSE(is_allowed("kubernetes:prod,job.worker=a"));
}

TEST_CASE("rights add up, and there are none by default") {
  RightTable table;
  const Target target = Target::parse("kubernetes:train").value();
  CHECK(table.may_read("", target));
  CHECK(table.has_flag("", &RightRow::metrics));
  table.distinguishes_clients = true;
  CHECK_FALSE(table.may_read("", target));
  CHECK_FALSE(table.may_read("kubernetes:train/default", target));
  RightRow row;
  row.who = "kubernetes:train/*";
  row.read = parse_patterns({"tpu:*", "kubernetes:train,*"}, "read").value();
  table.rows.push_back(row);
  row.who = "*";
  row.read.clear();
  row.metrics = true;
  table.rows.push_back(row);
  row.who = "certificate:rollcall-*";
  row.metrics = false;
  row.replica = true;
  table.rows.push_back(row);
  CHECK(table.may_read("kubernetes:train/default", target));
  CHECK_FALSE(table.may_read("kubernetes:other/default", target));
  CHECK_FALSE(table.may_read("google:kubernetes:train/default", target));
  CHECK(table.has_flag("google:p/a@b", &RightRow::metrics));
  CHECK_FALSE(table.has_flag("", &RightRow::metrics));
  CHECK(table.has_flag("certificate:rollcall-1", &RightRow::replica));
  CHECK_FALSE(table.has_flag("google:p/a@b", &RightRow::replica));
}
