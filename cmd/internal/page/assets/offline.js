// The service worker, with which the page works without a network after the first visit. Each
// release has a cache, which contains all of its files or doesn't exist. A page gets the files of its
// own release only, because their paths contain a hash. Without files, the worker removes
// every cache and itself.
const base = "{base}";
const names = {names};

const prefix = "hailmark ";
const own = prefix + base;
const page = `${base}/index.html`;

addEventListener("install", (event) => {
  if (names.length === 0) skipWaiting();
  else event.waitUntil(caches.open(own).then((cache) => cache.addAll(names.map((name) => `${base}/${name}`))));
});

// The browser activates a release when no page of another one is open.
addEventListener("activate", (event) => {
  const remove = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(prefix) && (name !== own || names.length === 0)) await caches.delete(name);
    }
    if (names.length === 0) await registration.unregister();
    else await clients.claim(); // so that the first visit needs no reload
  };
  event.waitUntil(remove());
});

// kept returns a file of this release. The browser may have removed the cache.
const kept = async (path) => (await caches.open(own)).match(path, { ignoreVary: true });

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin || names.length === 0) return;
  if (pathname.startsWith(`${base}/`)) event.respondWith(kept(pathname).then((file) => file ?? fetch(event.request)));
  else if (pathname === "/" && mode === "navigate") event.respondWith(fetch(event.request).catch(async (error) => (await kept(page)) ?? Promise.reject(error)));
});
