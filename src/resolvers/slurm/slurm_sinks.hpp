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

/// Reads one list of an answer; a repeated attempt begins again. Those that derive from it call restart() when they are made.
class SlurmFeedSink : public BodySink {
 public:
  void restart() final {
    forget();
    feed_ = std::make_unique<SlurmListFeed>(document_, key_, [this](const SlurmObject& element) { return take_element(element); }, limits_);
  }
  Result<void> take(std::string_view piece) final { return feed_->feed(piece); }
  SlurmListFeed& feed() { return *feed_; }

 protected:
  SlurmFeedSink(std::string document, std::string key, ParseLimits limits)
      : document_(std::move(document)), key_(std::move(key)), limits_(std::move(limits)) {}

 private:
  virtual void forget() = 0;
  virtual std::size_t take_element(const SlurmObject& element) = 0;  // as SlurmListFeed::Take

  std::string document_;
  std::string key_;
  ParseLimits limits_;
  std::unique_ptr<SlurmListFeed> feed_;
};

/// Keeps what one answer has.
template <class Record>
class SlurmListSink final : public SlurmFeedSink {
 public:
  using Wants = std::function<bool(const Record&)>;
  SlurmListSink(std::string document, std::string key, Record (*read)(const SlurmObject&), Wants wants, ParseLimits limits)
      : SlurmFeedSink(std::move(document), std::move(key), std::move(limits)), read_(read), wants_(std::move(wants)) {
    restart();
  }

  std::vector<Record> records;

 private:
  void forget() override { records.clear(); }
  std::size_t take_element(const SlurmObject& element) override {
    Record record = read_(element);
    const bool is_wanted = !wants_ || wants_(record);
    if (is_wanted) records.push_back(std::move(record));
    return is_wanted ? 2 * sizeof(Record) : std::size_t{0};
  }

  Record (*read_)(const SlurmObject&);
  Wants wants_;
};

/// Hands on what one answer has.
class SlurmTakerSink final : public SlurmFeedSink {
 public:
  SlurmTakerSink(SlurmJobTaker& taker, ParseLimits limits)
      : SlurmFeedSink("Slurm's list of jobs", "jobs", std::move(limits)), taker_(taker) {
    restart();
  }

 private:
  void forget() override { taker_.restart(); }
  std::size_t take_element(const SlurmObject& element) override { return taker_.take(read_slurm_job(element)); }

  SlurmJobTaker& taker_;
};

/// The states of all jobs.
class SlurmMarkSink final : public SlurmFeedSink {
 public:
  explicit SlurmMarkSink(ParseLimits limits) : SlurmFeedSink("Slurm's list of states", "jobs", std::move(limits)) { restart(); }

  SlurmMarks marks;

 private:
  void forget() override { marks = SlurmMarks(); }
  std::size_t take_element(const SlurmObject& element) override {
    read_slurm_mark(element, marks);
    return 0;
  }
};

}  // namespace rollcall
