"""A client of the test's own: says exactly what is sent, and shows every message that comes back as one line."""

import json
import subprocess
import threading
import queue

import places

here = places.load()


class Conversation:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([here.tool, "lsp", "--cache-dir=" + here.cache, *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.replies = queue.Queue()
        self.next_id = 0
        self.answered = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()) or not length:
                if not line and stream.peek(1) == b"":
                    return
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(stream.read(length))
            if "id" in message:
                self.answered[message["id"]] = self.answered.get(message["id"], 0) + 1
            self.replies.put(message)

    def raw(self, text):
        body = text.encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params=None):
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}))

    def request(self, method, params=None):
        """The answer to this request; what comes before it is kept back for `wait`."""
        self.next_id += 1
        self.raw(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}}))
        return self.wait(lambda message: message.get("id") == self.next_id)

    def wait(self, wanted, seconds=60):
        kept = []
        try:
            while True:
                message = self.replies.get(timeout=seconds)
                if wanted(message):
                    return message
                kept.append(message)
        finally:
            for message in kept:
                self.replies.put(message)

    def diagnostics(self, uri, version=None):
        params = self.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
                           and (version is None or m["params"].get("version") == version))["params"]
        return params["diagnostics"]

    def initialize(self, **capabilities):
        reply = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized")
        return reply["result"]["capabilities"]

    def open(self, path, text, version=1):
        uri = path.as_uri()
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "cpp", "version": version, "text": text}})
        return uri

    def change(self, uri, text, version):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})

    def actions(self, uri, line):
        place = {"line": line, "character": 8}
        return self.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}})["result"]

    def end(self):
        self.request("shutdown")
        self.notify("exit")
        code = self.process.wait(timeout=30)
        assert set(self.answered.values()) <= {1}, f"answered more than once: {self.answered}"
        assert set(self.answered) == set(range(1, self.next_id + 1)), "a request was not answered"
        return code


def project(folder, text):
    """A folder with one file and its compile command."""
    file = folder / "net.cpp"
    file.write_text(text)
    command = {"directory": str(folder), "file": str(file), "arguments": ["g++", *here.torch_flags, "-c", str(file)]}
    (folder / "compile_commands.json").write_text(json.dumps([command]))
    return file


def shown(diagnostics):
    return [f"{d['range']['start']['line']}:{d['range']['start']['character']} {d['code']}: {d['message']}" for d in diagnostics]


def applied(text, action):
    """The text after the action's edits; the test's texts are ASCII where they are edited."""
    (edits,) = action["edit"]["changes"].values()
    lines = text.split("\n")
    offset = lambda place: sum(len(line) + 1 for line in lines[: place["line"]]) + place["character"]
    for edit in sorted(edits, key=lambda e: -offset(e["range"]["start"])):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text
