// Logs of ping: of iputils, busybox and the BSDs, several in one file too. A log may be cut
// anywhere; replies that were printed count.
#include <algorithm>
#include <charconv>
#include <map>

#include "codec/rtt_draft.hpp"
#include "codec/rtt_number.hpp"
#include "gedge/latency/rtt_samples.hpp"

namespace gedge::codec {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

/// What stands behind the first `word`; empty if the word is not there.
std::string_view behind(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  return at == std::string_view::npos ? std::string_view{} : line.substr(at + word.size());
}

std::string_view until(std::string_view text, char end) { return text.substr(0, text.find(end)); }

/// The word at the front, without the colon behind it.
std::string_view first_word(std::string_view text) {
  text = text.substr(0, text.find_first_of(" ("));
  if (text.ends_with(':')) text.remove_suffix(1);
  return text;
}

struct Samples {
  std::string_view address;
  std::vector<Rtt> replies;
  RttStats summary;
  Rtt mdev = kUnmeasured;
  std::uint64_t sent = 0, received = 0;  // as summaries count; 0 sent: there was none
};

/// The number at the front.
std::uint64_t count_at(std::string_view text) {
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return std::min<std::uint64_t>(count, kNotKnown - 1);
}

/// As of what gedge measures itself; kUnmeasured for fewer than two.
Rtt jitter_of(const std::vector<Rtt>& replies) {
  if (replies.size() < 2) return kUnmeasured;
  RttSamples samples;
  for (const Rtt reply : replies) samples.add(Micros{reply.us});
  return samples.summary().jitter;
}

/// The value below which `percent` of the samples lie: nearest rank. `sorted` is not empty.
Rtt percentile(const std::vector<Rtt>& sorted, std::size_t percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

class PingReader {
 public:
  explicit PingReader(const RttText& text) : text_(text) {}

  Draft read() {
    Lines lines(text_.bytes(), true);
    std::string_view line;
    while (!text_.hopeless() && lines.next(line)) read_line(trim(line));
    if (!ended_) text_.warn("CutPingLog", "the log has no summary: replies until it was cut count");
    if (!text_.diagnostics.ok()) return {};
    const std::uint32_t from = draft_.intern(source_name());
    for (auto& [name, samples] : samples_) {
      const std::uint32_t to = draft_.intern(name);
      const PairRemarks remarks = remarks_of(samples);
      text_.add(draft_, {from, to}, stats_of(samples), remarks);
      draft_.addresses.resize(draft_.names.size());
      draft_.addresses[to] = samples.address;
    }
    return std::move(draft_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with("PING ")) {
      line.remove_prefix(5);
      start(first_word(line), until(behind(line, "("), ')'));
    } else if (line.find(" bytes from ") != std::string_view::npos) {
      read_reply(line);
    } else if (line.find("min/avg/max") != std::string_view::npos) {
      read_summary(line);
    } else if (line.find(" packets transmitted") != std::string_view::npos) {
      read_counts(line);
    }
  }

  /// "878 packets transmitted, 874 received, 0% packet loss, time 912141ms"
  void read_counts(std::string_view line) {
    ended_ = true;
    if (current_ == nullptr) return;
    current_->sent += count_at(line);
    current_->received += count_at(trim(behind(line, "transmitted,")));
  }

  /// `name` is what was pinged, a part of the text; "NAME (ADDRESS) 56(84) bytes of data." in the
  /// header line.
  void start(std::string_view name, std::string_view address) {
    current_ = nullptr;
    if (!text_.check_name(name, samples_.size())) return;
    current_ = &samples_[std::string(name)];
    current_->address = address.empty() ? name : address;
    ended_ = false;
  }

  void read_reply(std::string_view line) {
    if (current_ == nullptr) start(first_word(behind(line, " bytes from ")), {});
    if (current_ == nullptr) return;
    if (line.find("(DUP!)") != std::string_view::npos) return;
    std::string_view rest = behind(line, " time");  // "=27.8 ms"; "<1 ms" is an upper bound
    if (!rest.starts_with('=') && !rest.starts_with('<')) return;
    rest.remove_prefix(1);
    const std::string_view time = until(rest, ' ');
    if (trim(rest.substr(time.size())).substr(0, 2) != "ms") return;  // cut in the middle
    const ParsedRtt parsed = parse_rtt(time, TimeUnit::kMilli);
    if (parsed.cell == Cell::kValue)
      current_->replies.push_back(parsed.rtt);
    else
      text_.fail(time, "the time of a reply " + cell_problem(parsed.cell, time));
  }

  /// "rtt min/avg/max/mdev = 9.330/40.777/461.716/57.463 ms"; "round-trip min/avg/max = ..." of
  /// busybox.
  void read_summary(std::string_view line) {
    ended_ = true;
    const std::size_t equals = line.find("= ");
    if (current_ == nullptr || equals == std::string_view::npos) return;
    std::vector<std::string_view> values;
    const std::string_view numbers = line.substr(equals + 2);
    split(numbers.substr(0, numbers.find(' ')), '/', values);
    if (values.size() < 3) return;
    current_->summary[RttStats::kMin] = parse_rtt(values[0], TimeUnit::kMilli).rtt;
    current_->summary[RttStats::kMean] = parse_rtt(values[1], TimeUnit::kMilli).rtt;
    current_->summary[RttStats::kMax] = parse_rtt(values[2], TimeUnit::kMilli).rtt;
    if (values.size() > 3) current_->mdev = parse_rtt(values[3], TimeUnit::kMilli).rtt;
  }

  /// `ping -q` prints no replies: then its mean is the only value.
  static RttStats stats_of(Samples& samples) {
    RttStats stats = samples.summary;
    if (std::vector<Rtt>& all = samples.replies; !all.empty()) {
      std::sort(all.begin(), all.end());
      stats[RttStats::kP50] = percentile(all, 50);
      stats[RttStats::kP95] = percentile(all, 95);
      stats[RttStats::kP99] = percentile(all, 99);
      Rtt& longest =
          stats[RttStats::kMax];  // replies are printed with fewer digits than the summary
      if (longest == kUnmeasured || longest < all.back()) longest = all.back();
    }
    return stats;
  }

  /// Of a log that breaks off nobody knows how many probes were lost.
  PairRemarks remarks_of(const Samples& samples) {
    PairRemarks remarks;
    remarks.method = draft_.details.method("icmp");
    remarks.mdev = samples.mdev;
    remarks.jitter = jitter_of(samples.replies);
    const std::uint64_t answers = samples.sent > 0 ? samples.received : samples.replies.size();
    remarks.samples = static_cast<std::uint32_t>(std::min<std::uint64_t>(answers, kNotKnown - 1));
    if (samples.sent > 0) {
      const std::uint64_t lost = samples.sent - std::min(samples.sent, samples.received);
      remarks.loss_ppm =
          static_cast<std::uint32_t>((lost * kMillion + samples.sent - 1) / samples.sent);
    }
    return remarks;
  }

  std::string source_name() const {
    if (!text_.options.ping_source.empty()) return text_.options.ping_source;
    std::string_view stem = stem_of(text_.source.name());
    for (const std::string_view prefix : {"ping-", "ping_"})
      if (stem.size() > prefix.size() && stem.starts_with(prefix))
        stem.remove_prefix(prefix.size());
    return std::string(stem);
  }

  const RttText& text_;
  Samples* current_ = nullptr;
  bool ended_ = false;
  std::map<std::string, Samples> samples_;  // by name of the target
  Draft draft_;
};

}  // namespace

Draft read_ping(const RttText& text) { return PingReader(text).read(); }

}  // namespace gedge::codec
