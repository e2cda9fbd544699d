#include "io/http2_library.hpp"

#include "io/shared_library.hpp"

namespace gedge {
namespace {

Result<Http2Library> open_library() {
  SharedLibrary file("libnghttp2.so.14", "libnghttp2-14");
  Http2Library library;
  file.find(library.callbacks_new, "nghttp2_session_callbacks_new");
  file.find(library.callbacks_del, "nghttp2_session_callbacks_del");
  file.find(library.on_header, "nghttp2_session_callbacks_set_on_header_callback");
  file.find(library.on_frame, "nghttp2_session_callbacks_set_on_frame_recv_callback");
  file.find(library.on_data, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
  file.find(library.on_close, "nghttp2_session_callbacks_set_on_stream_close_callback");
  file.find(library.before_send, "nghttp2_session_callbacks_set_before_frame_send_callback");
  file.find(library.on_not_sent, "nghttp2_session_callbacks_set_on_frame_not_send_callback");
  file.find(library.client_new, "nghttp2_session_client_new");
  file.find(library.session_del, "nghttp2_session_del");
  file.find(library.receive, "nghttp2_session_mem_recv");
  file.find(library.send, "nghttp2_session_mem_send");
  file.find(library.wants_to_read, "nghttp2_session_want_read");
  file.find(library.wants_to_write, "nghttp2_session_want_write");
  file.find(library.stream_data, "nghttp2_session_get_stream_user_data");
  file.find(library.set_stream_data, "nghttp2_session_set_stream_user_data");
  file.find(library.set_window, "nghttp2_session_set_local_window_size");
  file.find(library.submit_request, "nghttp2_submit_request");
  file.find(library.submit_reset, "nghttp2_submit_rst_stream");
  file.find(library.submit_settings, "nghttp2_submit_settings");
  file.find(library.submit_ping, "nghttp2_submit_ping");
  GEDGE_TRY(file.check());
  return library;
}

}  // namespace

Result<const Http2Library*> Http2Library::get() {
  static const Result<Http2Library> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge
