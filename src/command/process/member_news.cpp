#include "command/process/member_news.hpp"

#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

namespace rollcall::command {

MemberNews::MemberNews(std::shared_ptr<ClusterWatch> following, StartedCluster waited, MeasuredBy measure,
                       std::function<void(const News&)> report, std::function<void(const ClusterStatus&)> on_status)
    : following_(std::move(following)), cluster_(std::move(waited)), measure_(measure), report_(std::move(report)),
      on_status_(std::move(on_status)) {}

void MemberNews::close() {
  is_closed_ = true;
  following_->close();
}

asio::awaitable<Failure> MemberNews::follow(std::shared_ptr<MemberNews> news) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  for (;;) {
    const Result<ClusterChange> change = co_await news->following_->try_next();
    if (news->is_closed_) co_return Failure(Errc::cancelled, "closed");
    if (!change) {
      const Failure failure = change.error();
      const bool is_gone = failure.code() == Errc::not_found || failure.code() == Errc::not_ready;
      if (is_gone) news->report_(News(NewsKind::end, failure.message()));
      co_return failure;
    }
    news->on_status_(news->following_->status());
    news->consider(*change);
    co_await asio::post(executor, asio::use_awaitable);  // lets signals be handled between changes that arrive together
  }
}

void MemberNews::compare_with_waited() {
  const ClusterStatus& status = following_->status();
  if (is_compared_ || status.members.empty()) return;
  is_compared_ = true;
  first_left_ = following_->untaken() + 1;
  const std::optional<Loss> loss = cluster_.loss_in(status);
  if (measure_ == MeasuredBy::last_ready) cluster_ = StartedCluster(status);
  if (loss) report_loss(*loss, nullptr);
}

void MemberNews::report_loss(const Loss& loss, const Member* in_its_place) {
  // The member was gone between two polls. Such a cluster was always "ready", so there is no later change to ready.
  const bool has_been_signalled = loss.is_recreated ? has_reported_loss_ : std::exchange(has_reported_loss_, true);
  if (!has_been_signalled) report_(News(NewsKind::members, loss.why));
  if (in_its_place && measure_ == MeasuredBy::last_ready) cluster_.replace(*in_its_place);
}

void MemberNews::consider(const ClusterChange& change) {
  compare_with_waited();
  const bool is_of_first_poll = first_left_ > 0;
  if (is_of_first_poll) --first_left_;
  if (change.kind == ChangeKind::notice) {
    News news(change.notice.kind == NoticeKind::preemption ? NewsKind::preemption : NewsKind::maintenance, change.text);
    news.is_of_own_machine = change.notice.subject == own_machine_subject;
    return report_(news);
  }
  if (change.kind == ChangeKind::cluster_ready) {
    has_reported_loss_ = false;
    if (measure_ == MeasuredBy::last_ready) cluster_ = StartedCluster(following_->status());
  }
  if (const std::optional<Loss> loss = cluster_.loss_by(change)) return report_loss(*loss, loss->is_recreated ? &change.member : nullptr);
  if (change.kind == ChangeKind::cluster_broken && following_->status().state.level == MemberState::lost)
    return report_loss(Loss(change.text), nullptr);
  if (!cluster_.is_grown_by(change)) return;
  News news(NewsKind::joined, change.text);
  news.is_of_first_poll = is_of_first_poll;
  report_(news);
}

}  // namespace rollcall::command
