#include "gedge/io/system_http.hpp"

#include <map>
#include <memory>
#include <utility>

#include "io/curl_transfer.hpp"

namespace gedge {
namespace {

// Every call ends by its own timeout; this is only how long libcurl may sleep through changes that
// it is not told of.
constexpr int kLookMs = 1'000;

/// Calls side by side, in one thread.
class Fetch {
 public:
  Fetch(const CurlLibrary& library, const std::vector<HttpCall>& calls, const HttpTerms& terms,
        const HttpClient::Done& done)
      : library_(library),
        calls_(calls),
        terms_(terms),
        done_(done),
        multi_(library.multi_init(), library.multi_cleanup) {}

  ~Fetch() {
    for (const auto& [handle, under_way] : under_way_)
      library_.multi_remove_handle(multi_.get(), handle);
  }
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  Status run() {
    if (multi_ == nullptr) return no_memory();
    while (next_ < calls_.size() || !under_way_.empty()) {
      while (next_ < calls_.size() && under_way_.size() < std::max<std::size_t>(most(), 1)) begin();
      int running = 0;
      if (library_.multi_perform(multi_.get(), &running) != CURLM_OK) return no_memory();
      settle();
      if (running == 0) continue;
      if (library_.multi_poll(multi_.get(), nullptr, 0, kLookMs, nullptr) != CURLM_OK)
        return no_memory();
    }
    return {};
  }

 private:
  struct UnderWay {
    std::size_t call = 0;
    std::unique_ptr<CurlTransfer> transfer;
  };

  static Error no_memory() {
    return {Errc::kDenied, "the system has no memory or descriptors left for calls", {}, {}};
  }
  std::size_t most() const { return terms_.most_at_once; }

  void begin() {
    const std::size_t call = next_++;
    auto transfer = CurlTransfer::make(library_, calls_[call], terms_);
    if (!transfer) return done_(call, std::move(transfer).error());
    CURL* const handle = (*transfer)->handle();
    if (library_.multi_add_handle(multi_.get(), handle) != CURLM_OK)
      return done_(call, no_memory());
    under_way_.emplace(handle, UnderWay{call, *std::move(transfer)});
  }

  void settle() {
    int left = 0;
    while (const CURLMsg* const message = library_.multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto found = under_way_.find(message->easy_handle);
      library_.multi_remove_handle(multi_.get(), found->first);
      const UnderWay over = std::move(found->second);
      under_way_.erase(found);
      done_(over.call, over.transfer->finish(code));
    }
  }

  const CurlLibrary& library_;
  const std::vector<HttpCall>& calls_;
  const HttpTerms& terms_;
  const HttpClient::Done& done_;
  std::unique_ptr<CURLM, decltype(&::curl_multi_cleanup)> multi_;
  std::map<CURL*, UnderWay> under_way_;
  std::size_t next_ = 0;
};

}  // namespace

Status SystemHttp::fetch(const std::vector<HttpCall>& calls, const HttpTerms& terms,
                         const Done& done) {
  const auto library = CurlLibrary::get();
  if (!library) return library.error();
  return Fetch(**library, calls, terms, done).run();
}

}  // namespace gedge
