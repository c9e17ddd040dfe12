// Workloads for tests: the samples of a real control plane, and documents by hand.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "resolvers/kubernetes/workload/rules/workload_chain.hpp"
#include "support/paths.hpp"

namespace rollcall::testing {

inline const WorkloadType& type_called(const std::string& word) { return **workload_type_called(word); }

inline std::string sample_text(const std::string& file) {
  std::ifstream stream(tests_dir() / "samples/k8s/workloads" / file);
  REQUIRE(stream);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// The object of a sample with this name; the file has one object, or a list. Objects of built-in lists have no kind of their own.
inline std::string sample_workload(const std::string& file, const std::string& name, const std::string& word) {
  boost::json::value document = boost::json::parse(sample_text(file));
  boost::json::object* found = nullptr;
  if (!document.get_object().contains("items")) {
    found = &document.get_object();
  } else {
    for (boost::json::value& one : document.at("items").get_array()) {
      if (one.at("metadata").at("name").get_string() == name) found = &one.get_object();
    }
  }
  REQUIRE(found);
  found->insert_or_assign("kind", type_called(word).name);
  return boost::json::serialize(*found);
}

inline Workload read_workload(const std::string& word, const std::string& json) {
  const Result<Workload> read = parse_workload(type_called(word), json);
  INFO(json);
  if (!read) FAIL(read.error().message());
  return *read;
}

inline Workload workload_in(const std::string& file, const std::string& name, const std::string& word) {
  return read_workload(word, sample_workload(file, name, word));
}

/// An object with this spec. `metadata` and `rest` begin with a comma.
inline std::string workload_json(const std::string& word, const std::string& name, const std::string& spec,
                                 const std::string& metadata = {}, const std::string& rest = {}) {
  return fmt::format(R"({{"apiVersion":"{}/v1","kind":"{}","metadata":{{"name":"{}","namespace":"train","uid":"{}-{}"{}}},"spec":{}{}}})",
                     type_called(word).group, type_called(word).name, name, word, name, metadata, spec, rest);
}

inline WorkloadChain chain_of(Workload workload) {
  WorkloadChain chain;
  chain.levels.push_back(std::make_shared<const Workload>(std::move(workload)));
  return chain;
}

}  // namespace rollcall::testing
