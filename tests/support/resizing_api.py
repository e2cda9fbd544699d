"""An API server as of 1.33 in front of one of 1.20: it resizes pods where they run."""
import contextlib
import http.client
import json
import socket
import ssl

from json_server import JsonHandler, JsonServer
from plane import PODS

KINDS = "/api/v1"
PASSED = ("Accept", "Content-Type", "User-Agent")


class ResizingApi(JsonServer):
    """Over HTTP; all else is what `plane` says. A pod of another size comes in the place of the one
    before: same name, same node. `refuses`: pods it says no to. `lock`: held meanwhile; `ready`: is
    told the name of whoever came. `resized`: each that was, in this order."""

    def __init__(self, plane, lock, ready):
        self.plane, self.lock, self.ready = plane, lock, ready
        self.refuses, self.resized, self.open = set(), [], set()
        self.trusted = ssl.create_default_context(cafile=plane.path("certificates/apiserver.crt"))
        api = self

        class Handler(JsonHandler):
            def pass_on(self):
                body = self.body()
                if self.path.partition("?")[0].endswith("/resize"):
                    return self.say(*api.resize(self.path.split("/"), json.loads(body)))
                if self.path == KINDS:
                    return self.say(200, api.kinds())
                with contextlib.closing(http.client.HTTPSConnection(
                        plane.host, context=api.trusted)) as to:
                    headers = {name: self.headers[name] for name in PASSED if self.headers[name]}
                    headers["Authorization"] = "Bearer " + plane.token
                    to.request(self.command, self.path, body or None, headers)
                    link = to.sock
                    api.open.add(link)
                    try:
                        self.stream(to.getresponse())
                    except (OSError, http.client.HTTPException):
                        self.close_connection = True  # one of the two has gone
                    finally:
                        api.open.discard(link)
                return None

            def stream(self, reply):
                """Whoever watches sees what there is at once."""
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.headers["Content-Type"])
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while piece := reply.read1(1 << 16):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on  # noqa: N815

        super().__init__(Handler, plane.path("resizing"))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        for one in list(self.open):  # else the other server waits for who watches
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def __getattr__(self, name):
        return getattr(self.plane, name)

    def kinds(self):
        document = self.plane.get(KINDS)
        document["resources"].append({"name": "pods/resize", "kind": "Pod", "namespaced": True,
                                      "singularName": "", "verbs": ["get", "patch", "update"]})
        return document

    def resize(self, parts, body):
        """PATCH /api/v1/namespaces/SPACE/pods/NAME/resize: status and document."""
        pods, name = PODS.format(parts[4]), parts[6]
        with self.lock:
            status, found = self.plane.call("GET", f"{pods}/{name}")
            if status != 200:
                return status, found
            metadata = found["metadata"]
            if body["metadata"] != {key: metadata[key] for key in ("uid", "resourceVersion")}:
                return 409, {"kind": "Status", "message": "the object has been modified"}
            if name in self.refuses:
                return 422, {"kind": "Status", "message": "Pod QOS Class may not change"}
            for part, amounts in body["spec"]["containers"][0]["resources"].items():
                found["spec"]["containers"][0]["resources"][part].update(amounts)
            self.plane.delete(f"{pods}/{name}")
            kept = {key: metadata[key] for key in ("name", "labels", "ownerReferences")}
            made, = self.plane.create(pods, {"metadata": kept, "spec": found["spec"]})
            self.ready(name)
            self.resized.append((name, found["spec"]["containers"][0]["resources"]))
            return 200, made
