// Records what the page writes to the console, for engines that do not report it.
{
  const messages = (globalThis.consoleMessages = [])
  for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
    const write = console[level]
    console[level] = (...args) => {
      messages.push(`${level}: ${args.join(' ')}`)
      write.apply(console, args)
    }
  }
  addEventListener('error', (event) => messages.push(`error: ${event.message ?? event.target.src}`), true)
  addEventListener('unhandledrejection', (event) => messages.push(`error: ${event.reason}`))
}
