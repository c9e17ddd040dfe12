#include "resolvers/launchers/mpi_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "resolvers/launchers/mpi_process.hpp"

namespace rollcall {
namespace {

// Objects within a host: the processes fill its slots, wherever they are bound.
constexpr std::string_view objects_of_a_host[] = {"slot", "core",    "hwthread", "socket",  "package",
                                                  "numa", "l1cache", "l2cache",  "l3cache", "board"};

bool is_object_of_a_host(std::string_view word) {
  return word.empty() || std::find(std::begin(objects_of_a_host), std::end(objects_of_a_host), word) != std::end(objects_of_a_host);
}

Failure cannot_follow(std::string_view name, std::string_view value) {
  return Failure(Errc::unimplemented, fmt::format("mpi: {} is {}: the host of each rank is not known", name, quoted(value, 100)))
      .with_hint(mpi_rank_file_hint);
}

bool is_on(const Environment& environment, std::string_view name) {
  const std::string value = to_lower(environment.get(name).value_or(""));
  return !value.empty() && value != "0" && value != "false" && value != "no";
}

// Many set the variables of both versions, and Open MPI 4 takes no notice of these.
bool is_of_version_5(std::string_view name) { return name.find("_rmaps_default_") != std::string_view::npos; }

class MappingReader {
 public:
  explicit MappingReader(const Environment& environment) : environment_(environment) {}

  Result<MpiMapping> read() && {
    Result<void> fine = {};
    const bool is_version_4 = environment_.get("OMPI_MCA_orte_hnp_uri") || environment_.get("OMPI_MCA_orte_num_nodes");
    for (const std::string_view name : {"OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_rmaps_ppr_pattern",
                                        "OMPI_MCA_rmaps_default_mapping_policy", "PRTE_MCA_rmaps_default_mapping_policy"}) {
      if (fine && !(is_version_4 && is_of_version_5(name))) fine = read_policy(name, name == "OMPI_MCA_rmaps_ppr_pattern" ? "ppr:" : "");
    }
    for (const std::string_view name : {"OMPI_MCA_rmaps_ppr_n_pernode", "OMPI_MCA_rmaps_base_n_pernode"}) {
      if (fine && environment_.get(name)) fine = set_per_host(name, *environment_.get(name));
    }
    if (!fine) return fine.error();
    if (is_on(environment_, "OMPI_MCA_rmaps_ppr_pernode") || is_on(environment_, "OMPI_MCA_rmaps_base_pernode")) mapping_.per_host = 1;
    if (is_on(environment_, "OMPI_MCA_rmaps_base_bynode")) mapping_.is_dealt = true;
    if (to_lower(environment_.get("OMPI_MCA_rmaps").value_or("")) == "seq") mapping_.is_sequence = true;
    constexpr std::string_view no_local = "OMPI_MCA_rmaps_base_no_schedule_local";
    if (is_on(environment_, no_local)) return cannot_follow(no_local, *environment_.get(no_local));
    for (const std::string_view name :
         {"OMPI_MCA_rmaps_base_ranking_policy", "OMPI_MCA_rmaps_default_ranking_policy", "PRTE_MCA_rmaps_default_ranking_policy"}) {
      if (fine && !(is_version_4 && is_of_version_5(name))) fine = read_ranking(name);
    }
    if (!fine) return fine.error();
    return mapping_;
  }

 private:
  // `node`, `socket:OVERSUBSCRIBE`, `ppr:2:node`
  Result<void> read_policy(std::string_view name, std::string_view before) {
    const std::string value = environment_.get(name).value_or("");
    if (value.empty()) return {};
    const std::string text = std::string(before) + to_lower(value);
    std::string_view rest = text;
    const std::string_view word = take(rest);
    if (word == "ppr") {
      const std::string_view count = take(rest);
      if (take(rest) != "node") return cannot_follow(name, value);
      const Result<void> fine = set_per_host(name, count);
      if (!fine) return fine;
    } else if (word == "node" || word == "seq") {
      (word == "node" ? mapping_.is_dealt : mapping_.is_sequence) = true;
    } else if (!is_object_of_a_host(word)) {
      return cannot_follow(name, value);
    }
    while (!rest.empty()) {
      const std::string_view modifier = take(rest);
      if (modifier != "oversubscribe" && modifier != "nooversubscribe" && modifier != "inherit" && modifier != "noinherit" &&
          !modifier.starts_with("pe="))
        return cannot_follow(name, value);
    }
    return {};
  }

  Result<void> read_ranking(std::string_view name) {
    const std::string value = environment_.get(name).value_or("");
    const std::string word = to_lower(value);
    if (word.empty()) return {};
    if (word != "node" && word != "fill" && !is_object_of_a_host(word)) return cannot_follow(name, value);
    mapping_.is_dealt = word == "node";
    return {};
  }

  Result<void> set_per_host(std::string_view name, std::string_view count) {
    const std::optional<int> number = parse_decimal<int>(count, 1, max_mpi_processes);
    if (!number)
      return Failure(Errc::invalid_argument, fmt::format("mpi: {} has {}, which is no number of processes", name, quoted(count, 100)));
    mapping_.per_host = number;
    return {};
  }

  // The text before the next colon or comma, which `rest` loses.
  static std::string_view take(std::string_view& rest) {
    const std::string_view word = rest.substr(0, rest.find_first_of(":,"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    return trim(word);
  }

  const Environment& environment_;
  MpiMapping mapping_;
};

}  // namespace

Result<MpiMapping> read_mpi_mapping(const Environment& environment) { return MappingReader(environment).read(); }

}  // namespace rollcall
