// A site is what a browser sees: the server behind a proxy that records each request.
//
// The same proxy is the HTTP proxy of the browser. A request to any other host arrives
// here too, is recorded, and gets no connection.
import http from 'node:http'
import { readFile } from 'node:fs/promises'

/** The path below which a site has the files of this repository, for scripts of the tests. */
export const sources = '/-/sources/'

export class Site {
  /** The requests to the site, in order: {method, path} */
  requests = []
  /** The reports of violations of the Content-Security-Policy. */
  reports = []
  /** The hosts of requests that left the site. */
  foreign = []
  #missing
  #replaced = {}
  #isCut = false
  #server
  #origin
  #sockets = new Set()
  #port

  static async start(origin) {
    const site = new Site()
    site.#origin = new URL(origin)
    site.#server = http.createServer((req, res) => site.#answer(req, res))
    site.#server.on('connect', (req, socket) => {
      site.foreign.push(req.url)
      socket.on('error', () => {})
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    })
    site.#server.on('connection', (socket) => {
      site.#sockets.add(socket)
      socket.on('close', () => site.#sockets.delete(socket))
    })
    await new Promise((resolve, reject) => {
      site.#server.once('error', reject)
      site.#server.listen(0, '127.0.0.1', resolve)
    })
    site.#port = site.#server.address().port
    return site
  }

  get host() {
    return `127.0.0.1:${this.#port}`
  }

  get url() {
    return `http://${this.host}`
  }

  /** Responds with status 404 to all paths that match the regular expression, or to none. */
  hide(paths) {
    this.#missing = paths
  }

  /** Cuts the connection of every request, as if the server were out of reach, or no longer. */
  cut(isCut) {
    this.#isCut = isCut
  }

  /** Responds to some paths with other bodies, which are texts by path. */
  replace(bodies) {
    this.#replaced = bodies
  }

  /** Cuts all connections and accepts no new ones. */
  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #answer(req, res) {
    const target = new URL(req.url, this.url)
    if (this.#isCut && target.host === this.host) {
      res.destroy()
      return
    }
    if (target.host !== this.host) {
      this.foreign.push(target.host)
      res.writeHead(502).end()
      return
    }
    if (target.pathname === '/-/csp-report') {
      let report = ''
      for await (const chunk of req) report += chunk
      this.reports.push(report)
      res.writeHead(204).end()
      return
    }
    if (target.pathname.startsWith(sources)) {
      const file = new URL(`../../../../${target.pathname.slice(sources.length)}`, import.meta.url)
      const type = file.pathname.endsWith('.json') ? 'application/json' : 'text/javascript'
      res.writeHead(200, { 'Content-Type': type }).end(await readFile(file))
      return
    }
    this.requests.push({ method: req.method, path: target.pathname + target.search })
    if (this.#missing?.test(target.pathname)) {
      res.writeHead(404).end()
      return
    }
    const replaced = this.#replaced[target.pathname]
    if (replaced !== undefined) delete req.headers['if-none-match'] // whose response has no type
    const request = http.request(
      { host: this.#origin.hostname, port: this.#origin.port, method: req.method, path: target.pathname + target.search, headers: req.headers },
      (response) => {
        const headers = { ...response.headers }
        if (replaced !== undefined) {
          for (const name of ['content-encoding', 'content-length', 'etag']) delete headers[name]
          response.resume()
          res.writeHead(200, headers).end(replaced)
          return
        }
        if (headers['content-security-policy']) headers['content-security-policy'] += '; report-uri /-/csp-report'
        res.writeHead(response.statusCode, headers)
        response.pipe(res)
      },
    )
    request.on('error', () => res.destroy())
    req.pipe(request)
  }
}
