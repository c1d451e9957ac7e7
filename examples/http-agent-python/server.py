"""An agent of your own for the Agent Hosting Service: it is told a message, and answers as JSON or word by word."""

import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

if not os.environ.get("ORDER_BOT_TOKEN"):
    sys.exit("Set ORDER_BOT_TOKEN to the token that callers must have.")
AUTHORIZATION = "Bearer " + os.environ["ORDER_BOT_TOKEN"]
MAX_BYTES = 8 * 1024 * 1024


def answer_to(asked):
    """Your agent goes here. `asked` has message, context, history, agent and request_id."""
    texts = [asked["message"]] + [entry["content"] for entry in reversed(asked["history"])]
    for text in texts:
        order = re.search(r"\b\d{4,}\b", text)
        if order:
            return f"Order {order.group()} left our warehouse this morning."
    return "Which order do you mean? Please tell me its number."


def count_tokens(*texts):
    """A model would tell; four characters are about one token."""
    return -(-len("".join(texts)) // 4)


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        given = self.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), AUTHORIZATION.encode()):
            self.send_error(401)
            return
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BYTES:
            self.send_error(413)
            return
        asked = json.loads(self.rfile.read(length))
        if "text/event-stream" in self.headers.get("Accept", ""):
            self.stream(asked)
        else:
            self.send_json(asked)

    def send_json(self, asked):
        text = answer_to(asked)
        body = {"response": text, "tokens_used": count_tokens(asked["message"], text)}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, asked):
        text = answer_to(asked)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for word in re.findall(r"\S+\s*", text):
                self.send_event("delta", {"text": word})
                time.sleep(0.02)
            self.send_event("done", {"tokens_used": count_tokens(asked["message"], text)})
        except (BrokenPipeError, ConnectionResetError):
            # The service closes the connection when its caller disconnects or the time is over.
            pass

    def send_event(self, event, data):
        self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8700"))), Agent)
print(f"The agent listens at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
