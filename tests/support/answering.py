"""An HTTP server of a test, with TLS if wanted."""
import contextlib
import http.server
import socket
import ssl
import threading


class Answering:
    """Answers GET on a free port, or on that of one that was there before, with what
    `reply(target, headers)` gives: status, content type and body."""

    def __init__(self, reply, port=0, tls=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1  # one packet for head and body

            def do_GET(self):  # noqa: N802
                status, kind, body = reply(self.path, self.headers)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            open_ones = set()

            def process_request(self, request, client_address):
                self.open_ones.add(request)
                super().process_request(request, client_address)

            def shutdown_request(self, request):
                self.open_ones.discard(request)
                super().shutdown_request(request)

            def handle_error(self, request, client_address):
                pass  # it went, or was cut

        self.server = Server(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls + ".crt", tls + ".key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        """At once, with connections that are kept."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        for one in list(self.server.open_ones):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
