"""Connects an implementation in Python to the runners; ../README.md describes the lines.

Copy this file, and call your own code in FUNCTIONS.
"""

import json
import re
import sys


class Rejected(Exception):
    """Input is invalid for the reasons that its codes name, in order."""

    def __init__(self, *codes):
        super().__init__(*codes)
        self.codes = codes


def parse_key(text):
    if not re.fullmatch("[A-Za-z0-9]{4,8}", text):
        raise Rejected("key_invalid_format")
    return text


FUNCTIONS = {"chatlink.ParseKey": parse_key}

for line in sys.stdin:
    question = json.loads(line)
    function = FUNCTIONS.get(question["function"])
    try:
        result = {"output": function(question["input"])} if function else {"unsupported": True}
    except Rejected as reasons:
        result = {"codes": reasons.codes}
    print(json.dumps(result), flush=True)
