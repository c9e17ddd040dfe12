// The candidates that shells get.
#include "command/arguments/completions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "command/arguments/command_table.hpp"
#include "command/show/found_text.hpp"
#include "rollcall/host_checks.hpp"
#include "rollcall/readiness.hpp"
#include "rollcall/target_scheme.hpp"

using namespace rollcall;
using namespace rollcall::command;

namespace {

using OfferedWords = std::vector<std::string>;

OfferedWords offered(const std::vector<std::string>& words) {
  OfferedWords out;
  for (const Candidate& one : complete(words).candidates) out.push_back(one.word);
  return out;
}

bool offers(const std::vector<std::string>& words, const std::string& word) {
  const OfferedWords out = offered(words);
  return std::find(out.begin(), out.end(), word) != out.end();
}

}  // namespace

TEST_CASE("commands, topics and all options are offered") {
  CHECK(offered({"stat"}) == OfferedWords{"status"});
  CHECK(offers({""}, "completion"));
  CHECK_FALSE(offers({""}, "complete"));
  CHECK(offered({"help", "exit"}) == OfferedWords{"exit-codes"});
  CHECK(complete({}).candidates.empty());
  CHECK(offered({"nonsense", ""}).empty());
  for (const CommandRow& command : commands()) {
    for (const OptionRow& row : command.options) {
      INFO(command.name << " " << row.name);
      CHECK(offers({std::string(command.name), std::string(row.name)}, std::string(row.name)) == !row.is_hidden);
    }
  }
}

TEST_CASE("this host is offered where its devices can be asked for") {
  CHECK(offered({"devices", "lo"}) == OfferedWords{"local"});
  CHECK_FALSE(offers({"spec", "lo"}, "local"));
}

TEST_CASE("values come from the tables, in all ways of writing them") {
  CHECK(offered({"spec", "--format", "js"}) == OfferedWords{"json"});
  CHECK(offered({"spec", "-o", "js"}) == OfferedWords{"json"});
  CHECK(offered({"spec", "--format=js"}) == OfferedWords{"--format=json"});
  CHECK(offered({"wait", "--until", "state,re"}) == OfferedWords{"state,reachable"});
  CHECK(offered({"wait", "--until", "state,s"}).empty());
  CHECK(offered({"discover", "--kind", "q"}) == OfferedWords{"queued-resource"});
  CHECK(offered({"discover", "--sort", "zone,na"}) == OfferedWords{"zone,name", "zone,namespace"});
  CHECK(offered({"spec", "--timeout", ""}).empty());
  CHECK(complete(std::vector<std::string>{"spec", "--trace", ""}).wants_files);
  CHECK(complete(std::vector<std::string>{"sim", ""}).wants_files);
  CHECK(complete(std::vector<std::string>{"exec", "tpu:x", "--", "--format"}).wants_files);
  CHECK(offered({"completion", "z"}) == OfferedWords{"zsh"});
}

TEST_CASE("the lists that are offered are those that are accepted") {
  for (const CommandRow& command : commands()) {
    for (const OptionRow& row : command.options) {
      INFO(command.name << " " << row.name);
      CHECK((row.completes == Completes::list) == !row.items.empty());
      if (row.name == "--filter") continue;
      if (row.name == "--checks") CHECK(row.items.size() == 2 + HostChecks::names().size() + HostChecks::prefixes().size());
      for (const std::string_view item : row.items) {
        if (row.name == "--checks" && (item.ends_with(':') || item.ends_with('='))) continue;  // its value is still to be typed
        Arguments arguments;
        const std::string_view needed = item == "disk_speed" ? ",disk:/data=1G" : "";  // refused without a folder to measure
        CHECK(apply_option(row, std::string(item).append(needed), arguments).has_value());
        if (row.name == "--columns") CHECK(parse_columns(std::string(item)).has_value());
        if (row.name == "--sort") CHECK(parse_sort(std::string(item)).has_value());
      }
      if (row.name == "--columns") CHECK(row.items.size() == found_columns().size());
    }
  }
}

TEST_CASE("targets are offered with their keys, each once") {
  CHECK(offered({"spec", "tp"}) == OfferedWords{"tpu:"});
  CHECK(offered({"spec", "tpu:x,zo"}) == OfferedWords{"tpu:x,zone="});
  CHECK_FALSE(offers({"spec", "tpu:x,zone=z,"}, "tpu:x,zone=z,zone="));
  CHECK(offers({"spec", "tpu:x,zone=z,"}, "tpu:x,zone=z,project="));
  CHECK(offered({"spec", "tpu:x,zone=u"}).empty());
  CHECK(offers({"exec", "slurm:"}, "slurm:order="));
  CHECK(offers({"exec", "slurm:"}, "slurm:job."));
  CHECK_FALSE(offers({"spec", "kubernetes:"}, "kubernetes:port="));
  CHECK(complete(std::vector<std::string>{"spec", "file:"}).wants_files);
  for (const TargetScheme* scheme : target_schemes()) {
    for (const TargetKey& key : scheme->keys) {
      const std::string begin = std::string(scheme->name) + ":x," + std::string(key.name);
      CHECK(offers({"spec", begin}, begin + "="));
    }
  }
}

TEST_CASE("names of targets are asked for where they stand") {
  const Completions found = complete(std::vector<std::string>{"wait", "--zone", "z", "--project=p", "tpu:tr"});
  REQUIRE(found.names);
  CHECK(found.names->kind == FoundKind::tpu);
  CHECK(found.names->zones == "z");
  CHECK(found.names->projects == "p");
  CHECK(complete(std::vector<std::string>{"wait", "tpu:qr/"}).names->kind == FoundKind::queued_resource);
  CHECK(complete(std::vector<std::string>{"wait", "gce:"}).names->kind == FoundKind::instance_group);
  CHECK_FALSE(complete(std::vector<std::string>{"wait", "tpu:x,"}).names);
  CHECK_FALSE(complete(std::vector<std::string>{"wait", "kubernetes:"}).names);
}
