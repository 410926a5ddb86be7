// The forms of the page send their requests with fetch and show the response below.
// Without this script, the forms of GET endpoints open the response as a page.

for (const form of document.forms) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
for (const note of document.querySelectorAll(".noscript")) note.remove();

// The examples of all endpoints are in one language, or in curl where there is none in it.
const language = document.getElementById("language");
const examples = [...document.querySelectorAll(".examples")];
const titleOf = (details) => details.firstChild.textContent;
const choose = () => {
  for (const { children } of examples) {
    const chosen = [...children].find((details) => titleOf(details) === language.value) ?? children[0];
    for (const details of children) details.open = details === chosen;
  }
};
language.addEventListener("change", () => {
  choose();
  try {
    localStorage.setItem("hailmark.language", language.value);
  } catch {} // a browser can forbid it
});
try {
  const kept = localStorage.getItem("hailmark.language");
  if ([...language.options].some(({ value }) => value === kept)) {
    language.value = kept;
    choose();
  }
} catch {}

// The contents mark the last heading above the middle of the window.
const links = new Map([...document.querySelectorAll("#contents a")].map((link) => [document.querySelector(link.hash), link]));
const follow = () => {
  // Reads come before writes, so that the browser computes the layout once.
  const current = [...links].findLast(([heading]) => heading.getBoundingClientRect().top < innerHeight / 2)?.[1];
  for (const link of links.values()) link.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "location");
  if (current && matchMedia("(min-width: 60rem)").matches) {
    const nav = current.closest("nav");
    const [top, bottom] = [current.getBoundingClientRect().top, current.getBoundingClientRect().bottom];
    if (top < 0 || bottom > innerHeight) nav.scrollTop += top - innerHeight / 2;
  }
};
let waiting;
addEventListener("scroll", () => {
  waiting ??= requestAnimationFrame(() => {
    waiting = undefined;
    follow();
  });
}, { passive: true });
requestAnimationFrame(follow);

// Closed details are printed too.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("article details:not(.try)")) details.open = true;
});

if (navigator.clipboard) {
  for (const pre of document.querySelectorAll("pre:not(.sent)")) addCopyButton(pre);
}

function addCopyButton(pre) {
  const text = pre.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  pre.append(button);
}

async function send(form) {
  const [status, result] = [form.parentNode.querySelector(".status"), form.parentNode.querySelector(".result")];
  for (const image of result.querySelectorAll("img")) URL.revokeObjectURL(image.src);
  result.replaceChildren();
  const sent = form.parentNode.querySelector(".sent");
  sent.textContent = curlOf(...requestOf(form));
  sent.hidden = false;
  status.textContent = "Waiting for the response";
  try {
    const response = await fetch(...requestOf(form));
    const isImage = (response.headers.get("Content-Type") ?? "").startsWith("image/");
    result.append(isImage ? imageOf(await response.blob()) : textOf(await response.text()));
    status.textContent = describe(response);
  } catch {
    status.textContent = "The server cannot be reached.";
  }
}

function requestOf(form) {
  if (form.method === "post") {
    const body = form.querySelector("textarea").value;
    return [form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body }];
  }
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") query.append(name, value);
  return [`${form.action}?${query}`];
}

// curlOf returns a command for a POSIX shell that sends the same request.
function curlOf(address, { body } = {}) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return `curl -s ${quote(address)}` + (body === undefined ? "" : ` \\\n  -H 'Content-Type: application/json' \\\n  --data-binary ${quote(body)}`);
}

function describe(response) {
  const left = response.headers.get("X-RateLimit-Remaining");
  const limit = response.headers.get("X-RateLimit-Limit");
  const warning = response.headers.get("X-QR-Warning");
  return `Status ${response.status}` + (left ? `; ${left} of ${limit} requests left in this minute` : "") + (warning ? `; warning: ${warning}` : "");
}

function imageOf(blob) {
  const image = document.createElement("img");
  image.src = URL.createObjectURL(blob);
  image.alt = "The QR code of the response";
  return image;
}

function textOf(text) {
  const pre = document.createElement("pre");
  pre.textContent = indent(text);
  return pre;
}

// indent puts each member of a JSON text on a line. It does not parse the numbers, because
// JavaScript rounds those of more than 15 digits.
function indent(text) {
  let [out, depth] = ["", 0];
  const line = () => "\n" + "  ".repeat(depth);
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    const empty = /[{[]$/.test(out);
    if ("}]".includes(token)) {
      depth--;
      out += (empty ? "" : line()) + token;
      continue;
    }
    if (empty) out += line();
    out += token;
    if ("{[".includes(token)) depth++;
    if (token === ",") out += line();
    if (token === ":") out += " ";
  }
  return out;
}
