// What reads the body of an answer of slurmrestd.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "call/parser_sink.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"
#include "resolvers/slurm/wire/slurm_marks.hpp"

namespace rollcall {

/// Keeps what one answer has; a repeated attempt begins again.
template <class Record>
class SlurmListSink final : public BodySink {
 public:
  using Wants = std::function<bool(const Record&)>;
  SlurmListSink(std::string document, std::string key, Record (*read)(const SlurmObject&), Wants wants, ParseLimits limits)
      : document_(std::move(document)), key_(std::move(key)), read_(read), wants_(std::move(wants)), limits_(std::move(limits)) {
    restart();
  }
  void restart() override {
    records.clear();
    feed_ = std::make_unique<SlurmListFeed>(
        document_, key_,
        [this](const SlurmObject& element) {
          Record record = read_(element);
          const bool is_wanted = !wants_ || wants_(record);
          if (is_wanted) records.push_back(std::move(record));
          return is_wanted ? 2 * sizeof(Record) : std::size_t{0};
        },
        limits_);
  }
  Result<void> take(std::string_view piece) override { return feed_->feed(piece); }
  SlurmListFeed& feed() { return *feed_; }

  std::vector<Record> records;

 private:
  std::string document_;
  std::string key_;
  Record (*read_)(const SlurmObject&);
  Wants wants_;
  ParseLimits limits_;
  std::unique_ptr<SlurmListFeed> feed_;
};

/// Hands on what one answer has; a repeated attempt begins again.
class SlurmTakerSink final : public BodySink {
 public:
  SlurmTakerSink(SlurmJobTaker& taker, ParseLimits limits) : taker_(taker), limits_(std::move(limits)) { restart(); }
  void restart() override {
    taker_.restart();
    feed_ = std::make_unique<SlurmListFeed>(
        "Slurm's list of jobs", "jobs", [this](const SlurmObject& element) { return taker_.take(read_slurm_job(element)); }, limits_);
  }
  Result<void> take(std::string_view piece) override { return feed_->feed(piece); }
  SlurmListFeed& feed() { return *feed_; }

 private:
  SlurmJobTaker& taker_;
  ParseLimits limits_;
  std::unique_ptr<SlurmListFeed> feed_;
};

/// The states of all jobs.
class SlurmMarkSink final : public BodySink {
 public:
  explicit SlurmMarkSink(ParseLimits limits) : limits_(std::move(limits)) { restart(); }
  void restart() override {
    marks = SlurmMarks();
    const auto take = [this](const SlurmObject& element) {
      read_slurm_mark(element, marks);
      return std::size_t{0};
    };
    feed_ = std::make_unique<SlurmListFeed>("Slurm's list of states", "jobs", take, limits_);
  }
  Result<void> take(std::string_view piece) override { return feed_->feed(piece); }
  SlurmListFeed& feed() { return *feed_; }

  SlurmMarks marks;

 private:
  ParseLimits limits_;
  std::unique_ptr<SlurmListFeed> feed_;
};

}  // namespace rollcall
