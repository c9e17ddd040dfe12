// The JSON Schema and the examples agree with the parser.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/file/file.hpp"
#include "sim/file/k8s_draft.hpp"
#include "sim/support.hpp"
#include "support/paths.hpp"

namespace rollcall::sim {

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) FAIL("cannot open " << path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> keys_of(const boost::json::value& object) {
  std::set<std::string> out;
  for (const auto& entry : object.as_object()) out.insert(std::string(entry.key()));
  return out;
}

template <class Words>
std::set<std::string> set_of(const Words& words) {
  return {words.begin(), words.end()};
}

std::set<std::string> texts_of(const boost::json::value& array) {
  std::set<std::string> out;
  for (const auto& text : array.as_array()) out.insert(std::string(text.as_string()));
  return out;
}

const std::filesystem::path root = testing::source_dir();

}  // namespace

TEST_CASE("the schema has the parser's keys and words") {
  const boost::json::value schema = boost::json::parse(read_file(root / "docs" / "simulation.schema.json"));
  const boost::json::value& definitions = schema.at("$defs");
  std::set<std::string> described = keys_of(definitions);
  described.erase("time");
  described.erase("value");
  described.insert("file");
  std::set<std::string> known;
  for (const auto& [section, names] : file_sections()) {
    INFO("section " << section);
    known.insert(std::string(section));
    const boost::json::value& object = section == "file" ? schema : definitions.at(section);
    CHECK(keys_of(object.at("properties")) == set_of(names));
    CHECK(object.at("additionalProperties") == false);
  }
  CHECK(known == described);
  CHECK(texts_of(definitions.at("moment").at("properties").at("state").at("enum")) == set_of(node_states()));
  CHECK(texts_of(definitions.at("queued_moment").at("properties").at("state").at("enum")) == set_of(queued_states()));
  CHECK(texts_of(definitions.at("instance").at("properties").at("status").at("enum")) == set_of(instance_statuses()));
  CHECK(texts_of(definitions.at("moment").at("properties").at("health").at("enum")) == set_of(node_healths()));
  CHECK(texts_of(definitions.at("worker_moment").at("properties").at("fault").at("enum")) == set_of(worker_fault_names()));
  CHECK(texts_of(definitions.at("worker_moment").at("properties").at("status").at("enum")) == set_of(rpc_status_names()));
  for (const char* const section : {"kubernetes_pods", "kubernetes_except", "kubernetes_moment"}) {
    CHECK(texts_of(definitions.at(section).at("properties").at("phase").at("enum")) == set_of(kube_phases()));
  }
  CHECK(texts_of(definitions.at("fault").at("properties").at("fault").at("enum")) == set_of(fault_names()));
}

TEST_CASE("every key is documented") {
  const std::string document = read_file(root / "docs" / "simulation.md");
  for (const auto& [section, names] : file_sections()) {
    for (const std::string_view name : names) {
      INFO(section << "." << name);
      CHECK(document.find("`" + std::string(name) + "`") != std::string::npos);
    }
  }
}

TEST_CASE("the examples are valid") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "examples")) {
    if (entry.path().extension() != ".json") continue;
    const auto cloud = Cloud::parse(read_file(entry.path()), entry.path().filename().string());
    INFO((cloud ? "" : cloud.error().what()));
    CHECK(cloud.has_value());
    ++count;
  }
  CHECK(count >= 5);
}

}  // namespace rollcall::sim
