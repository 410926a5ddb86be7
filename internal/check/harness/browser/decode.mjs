// Reads files with programs of other projects.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns the contents of the codes in a PNG, SVG or PDF, in any order. */
export function readCodes(path) {
  return inFolder(async (folder) => {
    let picture = path
    if (extname(path) === '.svg') {
      picture = join(folder, 'picture.png')
      await run('rsvg-convert', ['-w', '600', '-b', 'white', '-o', picture, path])
    }
    let pictures = [picture]
    if (extname(path) === '.pdf') {
      await run('pdftoppm', ['-png', '-r', '200', path, join(folder, 'page')])
      pictures = (await readdir(folder)).map((name) => join(folder, name))
    }
    const codes = []
    for (const picture of pictures) {
      const { stdout } = await run('zbarimg', ['--raw', '-q', '-Sdisable', '-Sqrcode.enable', picture])
      codes.push(...stdout.trim().split('\n'))
    }
    return codes
  })
}

/** Returns the pages of a PDF: the contents of their codes, and the area that is not white, in millimeters. */
export function readPages(path) {
  return inFolder(async (folder) => {
    await run('pdftoppm', ['-gray', '-r', '127', path, join(folder, 'page')]) // 5 pixels are a millimeter
    const pictures = (await readdir(folder)).sort().map((name) => join(folder, name))
    return Promise.all(pictures.map(async (picture) => ({ codes: await readCodes(picture), ...darkArea(await readFile(picture), 5) })))
  })
}

/** Returns the smallest area with all dark pixels of a binary PGM. */
function darkArea(pgm, scale) {
  const [header, width] = pgm.toString('latin1', 0, 50).match(/^P5\s(\d+)\s\d+\s255\s/)
  const area = { left: Infinity, top: Infinity, right: 0, bottom: 0 }
  pgm.subarray(header.length).forEach((value, i) => {
    if (value > 127) return
    const [x, y] = [i % width, Math.floor(i / width)]
    area.left = Math.min(area.left, x / scale)
    area.top = Math.min(area.top, y / scale)
    area.right = Math.max(area.right, (x + 1) / scale)
    area.bottom = Math.max(area.bottom, (y + 1) / scale)
  })
  return area
}

/** Returns the size of the first page of a PDF in millimeters. */
export async function pageSize(path) {
  const { stdout } = await run('pdfinfo', [path])
  const [, width, height] = stdout.match(/^Page size: +([\d.]+) x ([\d.]+) pts/m)
  return [width, height].map((points) => (points * 25.4) / 72)
}

/** Calls f with the path of each file of a ZIP. */
export function eachFile(path, f) {
  return inFolder(async (folder) => {
    await run('python3', ['-m', 'zipfile', '-e', path, folder])
    const names = (await readdir(folder)).sort()
    for (const name of names) await f(join(folder, name), name)
    return names
  })
}

async function inFolder(f) {
  const folder = await mkdtemp(join(tmpdir(), 'hailmark-files-'))
  try {
    return await f(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
