"""Follows the objects under one path of a plane."""
import http.client
import json
import ssl
import threading


class PlaneWatch:
    """Tells `note` of every object, and of each change of one, until close(). No change is missed,
    unless the server forgets it while it is not asked."""

    def __init__(self, plane, path, note):
        self.plane, self.path, self.note = plane, path, note
        self.version = None  # from which the next watch goes on
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_over = True
        self.thread.join()

    def run(self):
        context = ssl.create_default_context(cafile=self.plane.path("certificates/apiserver.crt"))
        while not self.is_over:
            connection = http.client.HTTPSConnection(self.plane.host, context=context, timeout=2)
            try:
                if self.version is None:
                    self.list(connection)
                self.follow(connection)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                pass  # the server is gone, or says nothing
            finally:
                connection.close()

    def ask(self, connection, path):
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.plane.token})
        return connection.getresponse()

    def list(self, connection):
        listed = json.loads(self.ask(connection, self.path).read())
        for item in listed["items"]:
            self.note(item)
        self.version = listed["metadata"]["resourceVersion"]

    def follow(self, connection):
        reply = self.ask(connection, f"{self.path}?watch=1&resourceVersion={self.version}")
        while line := reply.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                self.version = None
                return
            self.version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "DELETED":
                self.note(event["object"])
