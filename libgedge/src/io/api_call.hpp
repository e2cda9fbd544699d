// io/api_call.hpp - one request under way, on a handle that serves again and again.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/io/api_client.hpp"
#include "io/answer_draft.hpp"
#include "io/api_access.hpp"
#include "io/call_over.hpp"
#include "io/curl_error.hpp"
#include "io/curl_handle.hpp"

namespace gedge {

/// Neither moved nor copied: libcurl holds its address. Access, limits and clock outlive it.
class ApiCall {
 public:
  /// It puts itself on `fresh` when bytes of a stream come, until hand_over_lines().
  ApiCall(const CurlLibrary& library, ApiAccess& access, const ApiLimits& limits,
          const Clock& clock, std::vector<ApiCall*>& fresh)
      : library_(library),
        access_(access),
        limits_(limits),
        clock_(clock),
        fresh_(fresh),
        handle_(library),
        draft_(limits) {}
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  /// Once, before the first request. False without memory.
  bool set_up(CURLSH* shared, ApiLane lane);
  /// Errors: kInvalidInput for a target that is not allowed; kDenied without memory.
  Status begin(std::uint64_t ticket, ApiRequest request, bool is_second);
  /// What came of it, once libcurl says that it is over.
  ApiAnswer finish(CURLcode code);
  /// Lets go of what the request needed.
  void rest();

  static ApiCall* of(const CurlLibrary& library, CURL* handle);
  CURL* handle() const { return handle_.get(); }
  std::uint64_t ticket() const { return ticket_; }
  ApiLane lane() const { return request_.lane; }
  /// Whether the server was asked before, as who we were then.
  bool is_second() const { return is_second_; }
  /// Of who we were.
  std::uint64_t generation() const { return generation_; }
  /// To send it again. The lane stays.
  ApiRequest take_request();

  void drop() { is_dropped_ = true; }
  bool is_dropped() const { return is_dropped_; }
  /// That a stream begins, and lines that have come whole, until the call is dropped. False: one is
  /// longer than allowed.
  bool hand_over_lines(CallSink& sink);
  /// Why it ends, where hand_over_lines() said so.
  ApiAnswer too_long();

 private:
  bool set_verb();
  bool set_timeouts();
  bool say_time_left();
  bool take(std::string_view bytes);
  bool take_header(std::string_view line);
  bool has_stream_begun();
  void be_fresh();
  static int before_sending(void* call, char* to, char* from, int to_port, int from_port);
  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* call);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* call);
  Error error_of(CURLcode code) const;

  const CurlLibrary& library_;
  ApiAccess& access_;
  const ApiLimits& limits_;
  const Clock& clock_;
  std::vector<ApiCall*>& fresh_;
  CurlHandle handle_;
  Nanos unconfirmed_{0};
  std::array<char, CURL_ERROR_SIZE> message_{};

  std::uint64_t ticket_ = 0, generation_ = 0;
  ApiRequest request_;
  std::string url_;
  AnswerDraft draft_;
  bool is_sent_ = false, is_dropped_ = false, has_retry_after_ = false;
  bool is_fresh_ = false, is_second_ = false, is_head_whole_ = false, is_opening_ = false;
  bool is_late_ = false;
};

}  // namespace gedge
