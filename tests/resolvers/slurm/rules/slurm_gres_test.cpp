// Generic resources: as nodes have them, as jobs ask for them.
#include "resolvers/slurm/rules/slurm_gres.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

int gpus(std::string_view text) { return count_slurm_gres(parse_slurm_gres(text), "gpu"); }

}  // namespace

TEST_CASE("GPUs in the texts of nodes and jobs") {
  CHECK(gpus("gpu:h100:8(S:0-1)") == 8);
  CHECK(gpus("gpu:8") == 8);
  CHECK(gpus("gpu:h100:4,gpu:a100:2") == 6);
  CHECK(gpus("gpu:h100:2(IDX:0,2),gpu:a100:0(IDX:N/A)") == 2);
  CHECK(gpus("gpu:h100:8(IDX:0-7),mps:0,shard:0") == 8);
  CHECK(gpus("gres:gpu:h100:8") == 8);
  CHECK(gpus("gres/gpu:h100:8") == 8);
  CHECK(gpus("gres/gpu=2") == 2);
  CHECK(gpus("gres/gpu:h100=1") == 1);
  CHECK(gpus("gres:gpu") == 1);
  CHECK(gpus("gres:gpu:h100:2,gres:gpu:a100:1") == 3);
  CHECK(gpus("cpu=4,mem=200M,node=2,gres/gpu=16,gres/gpu:h100=16") == 16);
  CHECK(gpus("gpu:a100_3g.20gb:4") == 4);
  CHECK(gpus("gpu:h100") == 1);
}

TEST_CASE("what are no GPUs is not counted") {
  for (const char* const text :
       {"", "(null)", "shard:h100:16", "mps:a100:200", "nic:2", "cpu=4", "gpu=4", ",,,", "gpu:h100:0", "((", "gres:"}) {
    INFO(text);
    CHECK(gpus(text) == 0);
  }
  CHECK(gpus("gres/gpu=99999999999999999999") == 0);
  CHECK(gpus("gpu:999999999,gpu:999999999,gpu:999999999") == 1'000'000'000);
}

TEST_CASE("the model of GPUs, where it is one") {
  CHECK(slurm_gpus_of(parse_slurm_gres("gpu:h100:8(S:0-1)"), "x")->model == "H100");
  CHECK(slurm_gpus_of(parse_slurm_gres("gpu:h100:4,gpu:a100:2"), "x")->model.empty());
  CHECK(slurm_gpus_of(parse_slurm_gres("gpu:h100:4,gpu:a100:0"), "x")->model == "H100");
  CHECK(slurm_gpus_of(parse_slurm_gres("gpu:8"), "x")->model.empty());
}

TEST_CASE("shares of GPUs") {
  // As Slurm 24.11 lists them; such a job is given CUDA_VISIBLE_DEVICES=0.
  CHECK(slurm_gpus_of(parse_slurm_gres("shard:3(3/4,0/4,0/4,0/4)"), "x")->count == 1);
  CHECK(slurm_gpus_of(parse_slurm_gres("mps:150(100/100,50/100)"), "x")->count == 2);
  CHECK(slurm_gpus_of(parse_slurm_gres("gpu:h100:2(IDX:0-1),mps:0,shard:0(0/4,0/4)"), "x")->count == 2);
  CHECK_FALSE(slurm_gpus_of(parse_slurm_gres("gres/shard:6"), "x"));
  CHECK_FALSE(slurm_gpus_of(parse_slurm_gres("mps:50(IDX:0)"), "x"));
  CHECK(slurm_gpus_of(parse_slurm_gres("nic:2"), "x")->count == 0);
}

TEST_CASE("a node holds what a job asks of it") {
  const auto has = [](std::string_view node, std::string_view asked) {
    return holds_slurm_gres(parse_slurm_gres(node), parse_slurm_gres(asked));
  };
  CHECK(has("gpu:h100:8", "gres/gpu:8"));
  CHECK(has("gpu:h100:8", "gres:gpu:h100:8"));
  CHECK_FALSE(has("gpu:h100:4", "gres:gpu:h100:8"));
  CHECK_FALSE(has("gpu:a100:8", "gres:gpu:h100:8"));
  CHECK_FALSE(has("", "gres/gpu"));
  CHECK(has("", ""));
  CHECK(has("gpu:h100:4,gpu:a100:4", "gres/gpu:8"));
}

TEST_CASE("numbers with units, and resources that are not used up") {
  const std::vector<SlurmGres> node = parse_slurm_gres("gpu:h100:8(S:0-1),bandwidth:lustre:no_consume:4G,shard:2K,gpu:a100_3g.20gb:4");
  REQUIRE(node.size() == 4);
  CHECK(node[1].name == "bandwidth");
  CHECK(node[1].type == "lustre");
  CHECK(node[1].count == 1'000'000'000);
  CHECK(node[2].count == 2048);
  CHECK(node[3].type == "a100_3g.20gb");
  CHECK(count_slurm_gres(node, "gpu") == 12);
  CHECK(parse_slurm_gres("gpu:K")[0].type == "K");
}
