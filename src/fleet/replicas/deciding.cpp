// What a replica tells the others that it wants, and which sources it takes, keeps and gives back.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/saturating.hpp"
#include "fleet/replicas/replica.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_wants_at_once = 64;
constexpr Duration pause_after_lost_write = std::chrono::milliseconds(500);
constexpr Duration pause_between_scans = std::chrono::seconds(15);  // listeners leave without a word
constexpr Duration pause_of_wishes = std::chrono::seconds(2);
constexpr Duration kept_unwanted = std::chrono::hours(1);
constexpr Duration kept_gone = std::chrono::hours(1);  // so that whoever was away finds what says that it is gone

}  // namespace

// Errors: cancelled.
asio::awaitable<Result<void>> Replica::decide() {
  for (;;) {
    SteadyTime next = SteadyTime::max();
    mark(next);
    bool is_done = true;
    if (is_here() && is_listed_) {
      is_done = co_await write_wants(next);
      if (is_done && is_here()) is_done = co_await settle_sources(next);
      if (is_done && is_here() && !is_leaving_) is_done = co_await clear_away(next);
    }
    if (!is_done) next = std::min(next, now() + pause_after_lost_write);
    const bool is_awake = co_await wait(decide_, next);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while deciding what to ask");
  }
}

// What this replica alone has to tell: that it hears nothing, or may write nothing.
void Replica::mark(SteadyTime& next) {
  const SteadyTime silent_from = saturating_sum(heard_at_.value_or(begun_at_), store_is_silent);
  if (store_->is_full()) {
    copies_->mark("the service's store is out of space: nothing new is told until its operators make room");
  } else if (now() >= silent_from) {
    copies_->mark("this replica of the service hears nothing of the store that all replicas share");
  } else {
    next = std::min(next, silent_from);
    copies_->mark({});
  }
}

void Replica::on_wished(CopyTopic& topic) {
  OwnWant& want = own_wants_[topic.id()];
  if (now() < saturating_sum(want.wished_at, pause_of_wishes)) return;
  want.wished_at = now();
  ++want.wish;
  decide_.wake();
}

void Replica::tidy(CopyTopic& topic, SteadyTime& next) {
  if (topic.has_listeners()) {
    topic.left_at.reset();
  } else if (!topic.left_at) {
    topic.left_at = now();
  }
  if (!topic.is_wanted_here) return;
  const SteadyTime over = saturating_sum(topic.left_at.value_or(now()), copies_->options.lingering);
  if (topic.left_at && now() >= over) {
    topic.is_wanted_here = false;
  } else {
    next = std::min({next, now() + pause_between_scans, topic.left_at ? over : SteadyTime::max()});
  }
}

// False: the store did not take it.
asio::awaitable<bool> Replica::write_wants(SteadyTime& next) {
  std::vector<std::pair<std::string, std::optional<WantRecord>>> news;
  for (const auto& [id, topic] : copies_->topics()) {
    tidy(*topic, next);
    const auto known = own_wants_.find(id);
    const bool is_written = known != own_wants_.end() && known->second.lease == lease_;
    topic->is_spec_wanted_here = topic->is_wanted_here && topic->wants_spec();
    if (!topic->is_wanted_here) {
      if (is_written) news.emplace_back(id, std::nullopt);
      continue;
    }
    WantRecord record;
    record.target = topic->target();
    record.wants_spec = topic->is_spec_wanted_here;
    record.wish = known == own_wants_.end() ? 0 : known->second.wish;
    if (!is_written || known->second.written != record) news.emplace_back(id, std::move(record));
  }
  std::erase_if(own_wants_, [this](const auto& one) { return !copies_->find(one.first); });
  for (std::size_t from = 0; from < news.size(); from += most_wants_at_once) {
    const std::size_t to = std::min(news.size(), from + most_wants_at_once);
    const std::int64_t lease = lease_;
    store::Transaction transaction;
    for (std::size_t i = from; i < to; ++i) {
      std::string key = copies_->keys.want(news[i].first, copies_->self);
      transaction.writes.push_back(news[i].second ? store::Write::put(std::move(key), render_want(*news[i].second), lease)
                                                  : store::Write::remove(std::move(key)));
    }
    const Result<store::Outcome> written = co_await store_->commit(std::move(transaction));
    if (!written) {
      if (written.error().code() == Errc::not_found) lose("lease");
      co_return false;
    }
    for (std::size_t i = from; i < to; ++i) {
      OwnWant& want = own_wants_[news[i].first];
      want.lease = news[i].second ? lease : 0;
      if (news[i].second) want.written = std::move(*news[i].second);
    }
  }
  co_return true;
}

// Whose key is there, as far as this replica has heard; of what it has just claimed it knows more.
std::string Replica::owner_of(const std::string& source) const {
  const auto mine = owner_->sources().find(source);
  if (mine != owner_->sources().end() && copies_->position().revision < mine->second.epoch) return copies_->self;
  const auto seen = copies_->owners.find(source);
  return seen == copies_->owners.end() ? std::string() : seen->second.record.replica;
}

asio::awaitable<bool> Replica::settle_sources(SteadyTime& next) {
  owner_->attend();
  std::map<std::string, std::string> wanted;  // names by id
  for (const auto& [id, want] : copies_->wants) wanted.emplace(want.source_id, want.source);
  std::set<std::string> all;
  for (const auto& [id, name] : wanted) all.insert(id);
  for (const auto& [id, source] : owner_->sources()) all.insert(id);
  for (const auto& [id, seen] : copies_->owners) {
    if (seen.record.replica == copies_->self) all.insert(id);
  }
  std::erase_if(ownership_, [&all](const auto& one) { return !all.contains(one.first); });
  std::erase_if(had_, [&all](const auto& one) { return !all.contains(one.first); });
  std::vector<Peer> peers = copies_->peers();
  for (Peer& peer : peers) {
    if (peer.id != copies_->self) continue;
    peer.is_leaving = is_leaving_;
    peer.unable = failed_.unable(now());
  }
  for (const std::string& id : all) {
    if (!is_here()) co_return true;
    const std::string owner = owner_of(id);
    const bool is_owned = owner_->sources().contains(id);
    if (is_owned && owner != copies_->self) owner_->drop(id, "lost");
    if (!is_owned && owner == copies_->self) {
      const bool is_taken = co_await take_again(id, wanted.contains(id));
      if (!is_taken) co_return false;
      continue;
    }
    const std::vector<std::string> ranks = claimants(id, peers);
    const bool is_wanted = wanted.contains(id);
    if (is_owned && owner == copies_->self && is_leaving_) {
      const bool is_yielded = !has_said_leaving_ || co_await yield(id, "leaving", false);
      if (!is_yielded) co_return false;
      continue;
    }
    const bool has_other = std::any_of(peers.begin(), peers.end(), [this, &id](const Peer& peer) {
      return peer.id != copies_->self && !peer.is_leaving && std::find(peer.unable.begin(), peer.unable.end(), id) == peer.unable.end();
    });
    if (is_owned && failed_.note(id, owner_->failures(id), has_other, now())) {
      has_self_news_ = true;
      stay_.wake();
      const bool is_yielded = co_await yield(id, "unable", false);
      if (!is_yielded) co_return false;
      continue;
    }
    SourceOwnership& ownership = ownership_[id];
    const OwnershipMove move = ownership.next(copies_->self, owner, ranks, is_wanted, now());
    next = std::min(next, ownership.again_at());
    bool is_done = true;
    if (move == OwnershipMove::claim && !is_leaving_) is_done = co_await claim(id, wanted.at(id));
    if (move == OwnershipMove::yield && is_owned) is_done = co_await yield(id, is_wanted ? "better" : "unwanted", !is_wanted);
    if (!is_done) co_return false;
  }
  co_return true;
}

// False: the store did not answer. Somebody may have been faster: the watch tells.
asio::awaitable<bool> Replica::claim(std::string id, std::string name) {
  const std::int64_t lease = lease_;
  OwnerRecord record;
  record.replica = copies_->self;
  record.source = name;
  store::Transaction transaction;
  transaction.compares.push_back(store::Compare::is_absent(copies_->keys.owner(id)));
  transaction.writes.push_back(store::Write::put(copies_->keys.owner(id), render_owner(record), lease));
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  if (!outcome) {
    if (outcome.error().code() == Errc::not_found) lose("lease");
    co_return false;
  }
  if (!outcome->is_written || lease != lease_ || !is_here()) co_return true;
  had_[id] = outcome->revision;
  owner_->take(id, name, outcome->revision);
  co_return true;
}

// The store says that this replica owns what it does not ask: an answer was lost, or it lost its lease, which the store did not end yet.
asio::awaitable<bool> Replica::take_again(std::string id, bool is_wanted) {
  const auto seen = copies_->owners.find(id);
  if (seen == copies_->owners.end()) co_return true;
  const std::uint64_t epoch = seen->second.epoch;
  const auto had = had_.find(id);
  const bool has_had = had != had_.end() && had->second == epoch;
  if (seen->second.lease == lease_ && is_wanted && !is_leaving_ && !has_had) {
    had_[id] = epoch;
    owner_->take(id, seen->second.record.source, epoch);
    co_return true;
  }
  co_return co_await give_back(id, epoch, false);
}

asio::awaitable<bool> Replica::give_back(std::string id, std::uint64_t epoch, bool with_beat) {
  store::Transaction transaction;
  transaction.compares.push_back(store::Compare::was_created_at(copies_->keys.owner(id), epoch));
  transaction.writes.push_back(store::Write::remove(copies_->keys.owner(id)));
  if (with_beat) transaction.writes.push_back(store::Write::remove(copies_->keys.beat(id)));
  const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
  co_return outcome.has_value();
}

// After its last write. False: the store did not answer.
asio::awaitable<bool> Replica::yield(std::string id, std::string_view reason, bool with_beat) {
  co_await owner_->write_all(id);
  const auto owned = owner_->sources().find(id);
  if (owned == owner_->sources().end()) co_return true;
  const std::uint64_t epoch = owned->second.epoch;
  owner_->drop(id, reason);
  co_return co_await give_back(id, epoch, with_beat);
}

// Of targets that nobody has wanted for an hour a word is left, so that whoever was away hears of it, and after another hour nothing.
asio::awaitable<bool> Replica::clear_away(SteadyTime& next) {
  const std::vector<Peer> peers = copies_->peers();
  std::vector<std::shared_ptr<CopyTopic>> over;
  for (const auto& [id, topic] : copies_->topics()) {
    if (copies_->wants.contains(id)) {
      topic->unfollowed_at.reset();
      continue;
    }
    if (!topic->unfollowed_at) topic->unfollowed_at = now();
    const SteadyTime due = saturating_sum(*topic->unfollowed_at, topic->is_gone() ? kept_gone : kept_unwanted);
    const bool is_due = now() >= due;
    next = std::min(next, is_due ? SteadyTime::max() : due);
    if (is_due) over.push_back(topic);
  }
  for (const std::shared_ptr<CopyTopic>& topic : over) {
    if (topic->head_revision() == 0) {
      copies_->forget(topic->id());
      continue;
    }
    const std::string source = store_id(ownership_key(topic->parsed()));
    const std::vector<std::string> ranks = claimants(source, peers);
    if (ranks.empty() || ranks.front() != copies_->self) continue;
    store::Transaction transaction;
    transaction.compares.push_back(store::Compare::was_modified_at(copies_->keys.head(topic->id()), topic->head_revision()));
    if (topic->is_gone()) {
      transaction.writes.push_back(store::Write::remove(copies_->keys.head(topic->id())));
    } else {
      transaction.writes.push_back(store::Write::put(copies_->keys.head(topic->id()), render_gone_record()));
      transaction.writes.push_back(store::Write::remove(copies_->keys.spec(topic->id())));
      for (std::size_t number = 0; number < topic->chunks(); ++number)
        transaction.writes.push_back(store::Write::remove(copies_->keys.chunk(topic->id(), number)));
    }
    topic->unfollowed_at = now();
    const Result<store::Outcome> outcome = co_await store_->commit(std::move(transaction));
    if (!outcome) co_return false;
  }
  co_return true;
}

}  // namespace rollcall::fleet
