// The service worker keeps the assets of the page. It leaves every navigation to the
// server: the path of a navigation may be a short link.
const assets = [/* assets */];
const name = `hailmark ${assets[0]}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(assets)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const remove = async () => {
    for (const key of await caches.keys()) if (key.startsWith("hailmark ") && key !== name) await caches.delete(key);
  };
  event.waitUntil(remove());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate" || request.method !== "GET" || !assets.includes(new URL(request.url).pathname)) return;
  event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});
