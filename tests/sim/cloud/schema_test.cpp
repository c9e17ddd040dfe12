// The JSON Schema and the examples agree with the parser.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/file/file.hpp"
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

std::set<std::string> texts_of(const boost::json::value& array) {
  std::set<std::string> out;
  for (const auto& text : array.as_array()) out.insert(std::string(text.as_string()));
  return out;
}

// The schema of a key, possibly by reference.
const boost::json::value& described_key(const boost::json::value& schema, const boost::json::value& object, std::string_view name) {
  const boost::json::value& here = object.at("properties").at(name);
  const boost::json::value* const elsewhere = here.as_object().if_contains("$ref");
  return elsewhere ? schema.at_pointer(std::string_view(elsewhere->as_string()).substr(1)) : here;
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
  int enumerations = 0;
  for (const FileSection& section : file_sections()) {
    INFO("section " << section.name);
    known.insert(std::string(section.name));
    const boost::json::value& object = section.name == "file" ? schema : definitions.at(section.name);
    std::set<std::string> names;
    for (const auto& [name, words] : section.keys) {
      INFO("key " << name);
      names.emplace(name);
      if (words.empty()) continue;
      ++enumerations;
      CHECK(texts_of(described_key(schema, object, name).at("enum")) == std::set<std::string>(words.begin(), words.end()));
    }
    CHECK(keys_of(object.at("properties")) == names);
    CHECK(object.at("additionalProperties") == false);
  }
  CHECK(known == described);
  CHECK(enumerations > 20);
}

TEST_CASE("every key is documented") {
  const std::string document = read_file(root / "docs" / "simulation.md");
  for (const FileSection& section : file_sections()) {
    for (const auto& [name, words] : section.keys) {
      INFO(section.name << "." << name);
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
