#!/usr/bin/env python3
"""Run the test vectors against an implementation in any language.

    python3 run.py COMMAND [ARG...]         all files but http.json, see README.md
    python3 run.py http://localhost:8080    http.json, against a running service

Options before that: --only FILE.json, --skip limits,clock,base-url
It prints what differs and one line for each file, and exits with 1 if a vector fails.
"""

import argparse
import base64
import http.client
import json
import pathlib
import subprocess
import sys
import urllib.parse

FOLDER = pathlib.Path(__file__).parent


def pointer(value, path):
    """Return the value that a JSON Pointer (RFC 6901) names."""
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def expected(file, vector):
    """Put the elements of the payload in place of the pointers "at"."""
    output = vector["output"]
    if not file["function"].startswith("webhooknorm.") or not isinstance(output, dict) or "events" not in output:
        return output
    payload = vector["input"]["payload"] if "payload" in vector["input"] else json.loads(vector["input"]["text"])
    events = [dict({k: v for k, v in e.items() if k != "at"}, raw=pointer(payload, e["at"])) for e in output["events"]]
    return dict(output, events=events)


class Implementation:
    """A command that reads a question and writes a result on each line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def run(self, file, vector):
        question = {"function": file["function"], "id": vector["id"], "input": vector["input"]}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the command ended at %s#%s" % (file["function"], vector["id"]))
        got = json.loads(line)
        if got.get("unsupported"):
            return "skipped"
        want = {"codes": vector["codes"]} if "codes" in vector else {"output": expected(file, vector)}
        return "" if got == want else "want %s\n    got  %s" % (json.dumps(want), json.dumps(got))


class Service:
    """A service at a base URL."""

    def __init__(self, base):
        self.base = urllib.parse.urlsplit(base)

    def send(self, question):
        https = self.base.scheme == "https"
        connection = (http.client.HTTPSConnection if https else http.client.HTTPConnection)(self.base.netloc, timeout=30)
        if "bodyBase64" in question:
            body = base64.b64decode(question["bodyBase64"])
        else:
            body = (question.get("body", "") + " " * question.get("padding", 0)).encode()
        path = self.base.path.rstrip("/") + question["path"]
        connection.request(question["method"], path, body or None, question.get("headers", {}))
        response = connection.getresponse()
        content = response.read().decode("utf-8", "replace")
        connection.close()
        return response, content

    def run(self, file, vector):
        question, want = vector["input"], vector["output"]
        for _ in range(question.get("repeat", 1)):
            response, content = self.send(question)
        wrong = []
        if response.status != want["status"]:
            wrong.append("status %d, want %d" % (response.status, want["status"]))
        for name, value in want.get("headers", {}).items():
            if response.getheader(name) != value:
                wrong.append("%s: %s, want %s" % (name, response.getheader(name), value))
        for name in want.get("absent", []):
            if response.getheader(name) is not None:
                wrong.append("%s must be absent" % name)
        if "code" in want and json.loads(content).get("error", {}).get("code") != want["code"]:
            wrong.append("body %s, want the code %s" % (content, want["code"]))
        if "json" in want and json.loads(content) != want["json"]:
            wrong.append("body %s, want %s" % (content, json.dumps(want["json"])))
        if "bodyEquals" in question and content != question["bodyEquals"]:
            wrong.append("body %s, want %s" % (content, question["bodyEquals"]))
        return "\n    ".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="FILE.json")
    parser.add_argument("--skip", default="", metavar="NEEDS")
    parser.add_argument("target", nargs=argparse.REMAINDER, metavar="COMMAND [ARG...] | BASE_URL")
    options = parser.parse_args()
    if not options.target:
        parser.error("name a command or a base URL")
    over_http = options.target[0].startswith(("http://", "https://"))
    implementation = Service(options.target[0]) if over_http else Implementation(options.target)
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for path in sorted(FOLDER.glob("*.json")):
        if path.name.endswith(".schema.json") or (path.name != options.only if options.only else (path.name == "http.json") != over_http):
            continue
        file = json.loads(path.read_text(encoding="utf-8"))
        count = dict.fromkeys(total, 0)
        for vector in file["vectors"]:
            if set(vector.get("needs", [])) & set(options.skip.split(",")):
                count["skipped"] += 1
                continue
            problem = implementation.run(file, vector)
            count["skipped" if problem == "skipped" else "failed" if problem else "passed"] += 1
            if problem and problem != "skipped":
                print("%s#%s (%s)\n    %s" % (path.name, vector["id"], vector["source"], problem))
        print("%s: %d passed, %d failed, %d skipped" % (path.name, *count.values()))
        for key in total:
            total[key] += count[key]
    print("total: %d passed, %d failed, %d skipped" % tuple(total.values()))
    sys.exit(1 if total["failed"] or not total["passed"] else 0)


if __name__ == "__main__":
    main()
