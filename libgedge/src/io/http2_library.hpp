// io/http2_library.hpp - the functions of libnghttp2, found when they are first needed.
#pragma once

#include <nghttp2/nghttp2.h>

#include "gedge/base/result.hpp"

namespace gedge {

struct Http2Library {
  decltype(&::nghttp2_session_callbacks_new) callbacks_new = nullptr;
  decltype(&::nghttp2_session_callbacks_del) callbacks_del = nullptr;
  decltype(&::nghttp2_session_callbacks_set_on_header_callback) on_header = nullptr;
  decltype(&::nghttp2_session_callbacks_set_on_frame_recv_callback) on_frame = nullptr;
  decltype(&::nghttp2_session_callbacks_set_on_data_chunk_recv_callback) on_data = nullptr;
  decltype(&::nghttp2_session_callbacks_set_on_stream_close_callback) on_close = nullptr;
  decltype(&::nghttp2_session_callbacks_set_before_frame_send_callback) before_send = nullptr;
  decltype(&::nghttp2_session_callbacks_set_on_frame_not_send_callback) on_not_sent = nullptr;
  decltype(&::nghttp2_session_client_new) client_new = nullptr;
  decltype(&::nghttp2_session_del) session_del = nullptr;
  decltype(&::nghttp2_session_mem_recv) receive = nullptr;
  decltype(&::nghttp2_session_mem_send) send = nullptr;
  decltype(&::nghttp2_session_want_read) wants_to_read = nullptr;
  decltype(&::nghttp2_session_want_write) wants_to_write = nullptr;
  decltype(&::nghttp2_session_get_stream_user_data) stream_data = nullptr;
  decltype(&::nghttp2_session_set_stream_user_data) set_stream_data = nullptr;
  decltype(&::nghttp2_session_set_local_window_size) set_window = nullptr;
  decltype(&::nghttp2_submit_request) submit_request = nullptr;
  decltype(&::nghttp2_submit_rst_stream) submit_reset = nullptr;
  decltype(&::nghttp2_submit_settings) submit_settings = nullptr;
  decltype(&::nghttp2_submit_ping) submit_ping = nullptr;

  /// From any thread; it stays open. Errors: kDenied with what would help.
  static Result<const Http2Library*> get();
};

}  // namespace gedge
