#!/usr/bin/env python3
"""Run the test vectors against an implementation in any language.

    python3 run.py COMMAND [ARG...]         all files but http.json, see README.md
    python3 run.py http://localhost:8080    http.json, against a running service

Options before that:
    --claim phone.Parse,bsuid.ParseBSUID    only these functions, and fail if one of their vectors is skipped
    --only FILE.json
    --skip limits,clock,base-url,notice

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
    """Put elements of the payload, as "raw", in place of the pointers "at"."""
    question, output = vector["input"], vector["output"]
    if file["function"] not in ("webhooknorm.Normalize", "webhooknorm.Read"):
        return output
    payload = question["payload"] if "payload" in question else json.loads(question["text"])

    def place(elements):
        return [{("raw" if k == "at" else k): (pointer(payload, v) if k == "at" else v) for k, v in e.items()} for e in elements]

    return place(output) if isinstance(output, list) else {k: place(v) for k, v in output.items()}


def plain(value):
    """Drop members that are None, "" or [], since they mean the same as no member."""
    if isinstance(value, list):
        return [plain(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {k: v if k == "raw" else plain(v) for k, v in value.items() if v is not None and v not in ("", [])}


def whole(value):
    """Replace unpaired surrogates by U+FFFD, because an implementation may do so, too."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [whole(element) for element in value]
    return {k: whole(v) for k, v in value.items()} if isinstance(value, dict) else value


def comparable(file, result):
    """Return a result in the form in which results are compared."""
    if "codes" in result:
        return {"codes": result["codes"]}
    value = whole(plain(result.get("output")))
    if file["function"] == "identity.FactsOf" and value:  # the order of facts has no meaning
        value.sort(key=lambda fact: json.dumps(fact, sort_keys=True))
    return {"output": value}


def call_function(process, file, vector):
    """Ask a command that reads a question and writes a result on each line."""
    question = {"function": file["function"], "id": vector["id"], "input": vector["input"]}
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        sys.exit("the command ended at %s#%s" % (file["function"], vector["id"]))
    got = json.loads(line)
    if got.get("unsupported"):
        return "skipped"
    want = {"codes": vector["codes"]} if "codes" in vector else {"output": expected(file, vector)}
    return "" if comparable(file, got) == comparable(file, want) else "want %s\n    got  %s" % (json.dumps(want), json.dumps(got))


def send(base, question):
    connection = (http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection)(base.netloc, timeout=30)
    body = (question.get("body", "") + " " * question.get("padding", 0)).encode()
    if "bodyBase64" in question:
        body = base64.b64decode(question["bodyBase64"])
    try:
        connection.request(question["method"], base.path.rstrip("/") + question["path"], body or None, question.get("headers", {}))
    except (BrokenPipeError, ConnectionResetError):
        pass  # a service may reject a body before it has read all of it
    response = connection.getresponse()
    content = response.read().decode("utf-8", "replace")
    connection.close()
    return response, content


def call_service(base, vector):
    question, want = vector["input"], vector["output"]
    for _ in range(question.get("repeat", 1)):
        response, content = send(base, question)
    try:
        value = json.loads(content)
    except ValueError:
        value = None
    wrong = []
    if response.status != want["status"]:
        wrong.append("status %d, want %d" % (response.status, want["status"]))
    for name, text in want.get("headers", {}).items():
        if response.getheader(name) != text:
            wrong.append("%s: %s, want %s" % (name, response.getheader(name), text))
    for name in want.get("absent", []):
        if response.getheader(name) is not None:
            wrong.append("%s must be absent" % name)
    if "code" in want and (not isinstance(value, dict) or value.get("error", {}).get("code") != want["code"]):
        wrong.append("body %s, want the code %s" % (content, want["code"]))
    if "json" in want and value != want["json"]:
        wrong.append("body %s, want %s" % (content, json.dumps(want["json"])))
    if content != question.get("bodyEquals", content):
        wrong.append("body %s, want %s" % (content, question["bodyEquals"]))
    return "\n    ".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claim", default="", metavar="FUNCTION,...")
    parser.add_argument("--only", metavar="FILE.json")
    parser.add_argument("--skip", default="", metavar="NEEDS")
    parser.add_argument("target", nargs=argparse.REMAINDER, metavar="COMMAND [ARG...] | BASE_URL")
    options = parser.parse_args()
    if not options.target:
        parser.error("name a command or a base URL")
    over_http = options.target[0].startswith(("http://", "https://"))
    files = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json")) if not path.name.endswith((".schema.json", "names.json"))}
    functions = [file["function"] for file in files.values() if "function" in file]
    claimed = [name for name in options.claim.split(",") if name]
    unknown = [name for name in claimed if name not in functions]
    if unknown:
        parser.error("no file has the function %s; the functions are %s" % (", ".join(unknown), ", ".join(functions)))
    process = None if over_http else subprocess.Popen(options.target, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for name, file in files.items():
        if options.only and not claimed:
            wanted = name == options.only
        else:
            wanted = (name == "http.json") == over_http and (not claimed or file["function"] in claimed)
        if not wanted:
            continue
        count = dict.fromkeys(total, 0)
        for vector in file["vectors"]:
            problem = "skipped"
            if not set(vector.get("needs", [])) & set(options.skip.split(",")):
                problem = call_service(urllib.parse.urlsplit(options.target[0]), vector) if over_http else call_function(process, file, vector)
            if problem == "skipped" and claimed:
                problem = "%s is claimed, but this vector is skipped" % file["function"]
            count["skipped" if problem == "skipped" else "failed" if problem else "passed"] += 1
            if problem not in ("", "skipped"):
                print("%s#%s (%s)\n    %s" % (name, vector["id"], vector["source"], problem))
        print("%s: %d passed, %d failed, %d skipped" % (name, *count.values()))
        total = {key: total[key] + count[key] for key in total}
    print("total: %d passed, %d failed, %d skipped" % tuple(total.values()))
    sys.exit(1 if total["failed"] or not total["passed"] else 0)


if __name__ == "__main__":
    main()
