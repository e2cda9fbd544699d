// gedge/control/reflector.hpp - keeps up with all objects of one kind: lists them once, watches
// from there, and begins again where the server cannot go on.
//
// A state machine without sockets and clocks: calls come out, what became of them and the time go
// in. A list is a consistent read, page by page, and never one of a cache that may be old. Versions
// are opaque, but for whether one is as new as another one, which somebody else has heard or which
// was heard before: Kubernetes gives them that order (KEP-5504), and where one looks otherwise a
// list is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gedge/base/nanos.hpp"
#include "gedge/base/split_mix.hpp"
#include "gedge/port/watch.hpp"

namespace gedge {

/// How long a watch lasts, for how long it may say nothing, and how long after it was last heard of
/// its peer is taken for gone, at the latest.
struct WatchTerms {
  std::uint32_t least_seconds = 0, most_seconds = 0;
  Nanos longest_silence{0}, gone_within{0};
};

struct ReflectorOptions {
  Nanos first_backoff{800'000'000}, max_backoff{30'000'000'000};  ///< plus up to as much again
  /// Instead of max_backoff for one kind of a cluster, so that somebody notices soon when a server
  /// that did not answer does again; and how long all others wait then, at most.
  Nanos scout_backoff{2'400'000'000}, hurry_within{3'000'000'000};
  /// A watch that lasted so long forgets what failed before; one that says something or that its
  /// server ends, sooner. Proxies cut a quiet one every minute.
  Nanos healthy_after{30'000'000'000};
  Nanos most_retry_after{300'000'000'000};
  /// Where the transport notices that a server has gone, which sends a bookmark in every 75 s. One
  /// that sends none is asked anew so often: what stands between may have lost it, and keep the
  /// connection.
  WatchTerms pinged{300, 600, Nanos{90'000'000'000}, Nanos{20'000'000'000}};
  /// Where it does not: a server ends each watch before it could be taken for gone.
  WatchTerms unpinged{15, 20, Nanos{25'000'000'000}, Nanos{25'000'000'000}};
  /// What was known so long ago is too old to decide by.
  Nanos most_age{60'000'000'000};
  /// What was listed once and is refused (403, 404) is gone when it is refused again so much later:
  /// a server that starts, and a role that is edited, refuse for a moment what there is. Of what
  /// was never listed a second 403 says as much, or one 404.
  Nanos absent_after{60'000'000'000};
  /// Where a watch is over, a list this old is made anew: of what was lost on the way here nobody
  /// would ever tell.
  Nanos list_again_after{3'600'000'000'000};
  /// For a watch to tell what somebody else has heard; then a list is made.
  Nanos catch_up_within{1'000'000'000};
};

/// A call that is to be made.
struct ReflectorCall {
  bool is_list = true;
  std::string next;                 ///< of a list: token of the page; empty: the first one
  std::string version;              ///< of a watch: where it begins
  std::uint32_t watch_seconds = 0;  ///< of a watch: when the server shall end it
};

/// Of one store, or of one object in it. Opaque ones are as new as themselves.
bool is_as_new(const std::string& version, const std::string& as);

class Reflector {
 public:
  /// `seed`: of jitter, another one for each kind and process.
  explicit Reflector(std::uint64_t seed, const ReflectorOptions& options = {});

  /// The call to be made now; whoever takes it says what became of it with the functions below.
  /// `is_pinged`: as its transport says (ApiTransport::pings()).
  std::optional<ReflectorCall> advance(Nanos now, bool is_pinged = true);
  /// When advance() or is_vain() will say something new; empty: only answers can change that.
  std::optional<Nanos> next() const;
  /// The watch under way says nothing for too long, or a list is needed that was begun later: cut
  /// the call and say resume().
  bool is_vain(Nanos now) const;
  /// It has said nothing for longer than anybody should decide by, and may be silent for good: a
  /// new one says at once.
  bool is_unheard(Nanos now) const;
  /// The call under way was cut; the next one goes on where it was, at once, unless it is time for
  /// a list.
  void resume(Nanos now);
  /// Others wrote until `since`. What is told is behind until a list is had that was begun later,
  /// or refused as that of a kind that is not there; or, where others had heard of version `heard`,
  /// until a watch has come to it. Said again of that time or of one before, it changes nothing.
  void require(Nanos since, const std::string& heard, Nanos now);
  bool is_behind() const { return whole_ < required_ && !has_caught_up_; }
  /// The version of the last list or change that was told; empty: nobody knows it. What a bookmark
  /// says may be known to nobody else for a minute.
  std::string heard() const { return is_open_ ? changed_ : std::string(); }
  /// The server answers the watch under way: what happened before is told now.
  void opened(Nanos now);
  /// Once, when the server answers again that did not.
  bool take_return() { return std::exchange(has_returned_, false); }
  /// It does, for others: the next call, where it waits only for that, is made soon.
  void hasten(Nanos now);
  /// Nobody listened since: what was told after that moment may be as old.
  void distrust(Nanos since);
  /// Once, when the server of what was listed does not answer, or says that it failed, and when a
  /// watch was opened after one that did not end in its time. The store may be put back meanwhile
  /// to what it was before, of which watches say nothing.
  bool take_doubt() { return std::exchange(has_doubt_, false); }
  /// A watch is asked for and not answered yet.
  bool is_opening() const { return is_watching() && !is_open_; }
  /// Of the versions told since the last list the newest; empty: there was none.
  const std::string& newest() const { return newest_; }
  /// The last list was of an older version than what was told before: the store was put back.
  /// Until start_over().
  bool has_gone_back() const { return has_gone_back_; }
  /// It was: what was told counts no more, and all is listed, but where that was done since.
  void start_over(Nanos now);

  /// A page of the list under way. True for the last one.
  bool take_page(const ListMeta& page, Nanos now);
  /// A line of the watch under way. False: the watch is over, to be cut; nothing more is to be
  /// said of it.
  bool take_line(const WatchLine& line, Nanos now);
  /// The call under way is over: a watch that the server ended (status 200), or anything that
  /// failed (0: without an answer).
  void failed(unsigned status, std::optional<Nanos> retry_after, Nanos now);

  /// The call under way, or the next one, is a page of a list.
  bool is_listing() const { return lists_next_; }
  bool is_watching() const { return is_under_way_ && !lists_next_; }
  /// All pages of a list were taken, now or before.
  bool is_synced() const { return is_synced_; }
  /// And what was told is not too old: a watch goes on, or has not been broken for long.
  bool is_current(Nanos now) const { return is_current(now, options_.most_age); }
  bool is_current(Nanos now, Nanos most_age) const {
    return is_synced_ && (is_open_ || now - known_at_ <= most_age);
  }
  /// The server, or the rights that it gives us, lack the kind: lists of it are refused.
  bool is_absent() const { return is_absent_; }
  std::uint64_t lists() const { return lists_; }      ///< begun
  std::uint64_t watches() const { return watches_; }  ///< begun

 private:
  bool needs_list(Nanos now) const;
  void catch_up();
  void begin_again(Nanos now, Nanos at_least);
  void list_again();
  void renew(Nanos now);
  void refused(unsigned status, Nanos now);
  void answered();

  ReflectorOptions options_;
  SplitMix random_;
  bool lists_next_ = true;    // else watches
  bool is_renewing_ = false;  // a list that nobody asked for: watching could go on as well
  bool is_under_way_ = false;
  bool is_second_try_ = false;  // the server failed with this version before
  bool is_synced_ = false;
  bool is_absent_ = false;
  bool is_open_ = false;  // a watch is under way, and was answered
  std::string version_, page_;
  std::string changed_;  // version_ but for bookmarks
  std::string newest_;
  bool is_away_ = false;  // the server did not answer, or said that it failed
  bool has_returned_ = false;
  bool is_lost_ = false;  // the watch before did not end in its time
  bool has_doubt_ = false, has_gone_back_ = false;
  Nanos until_{0};             // no call before
  Nanos not_before_{0};        // as the server asked for
  Nanos begun_{0}, heard_{0};  // of the watch under way
  Nanos ends_{0};              // its time
  WatchTerms terms_;           // the same
  Nanos listed_{0};            // when the first page of the list was asked for
  Nanos whole_{0};             // the same of the last list that was had
  Nanos known_at_{0};          // everything that was so then has been told
  Nanos required_{0};          // others wrote until then
  Nanos catch_up_until_{0};    // a watch that has not come to heard_of_others_ will not
  std::string heard_of_others_;
  bool has_caught_up_ = false;
  std::optional<Nanos> refused_at_;  // the first list since the last page that was had
  std::uint32_t failures_ = 0;
  std::uint64_t lists_ = 0, watches_ = 0;
};

}  // namespace gedge
