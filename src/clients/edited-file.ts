import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readTextFile } from '../config/text-file.ts';
import { errorCode } from '../maybe.ts';
import { contentOf, EditError, textOf } from './edit.ts';
import type { ClientsContent } from './file.ts';

/** CLIENTS_FILE on disk, as commands read and replace it. */

/** Mode of a new file. The digests are not secret, but who has which limits is nobody else's business. */
const NEW_FILE_MODE = 0o600;
const MODE_BITS = 0o7777;

/**
 * Replaces the content of the file in one step. Until then the new file is a lock: otherwise, of two commands at once,
 * one would overwrite the change for which the other has printed a key.
 */
export async function replaceContent(
  path: string,
  edit: (content: ClientsContent) => ClientsContent,
  ifMissing?: ClientsContent,
): Promise<void> {
  const target = await realpath(path).catch(() => linkedFrom(path));
  const next = `${target}.new`;
  const handle = await open(next, 'wx', NEW_FILE_MODE).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') throw new EditError(`there is no folder ${dirname(target)}`);
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new EditError(`another command is running; if none is, remove ${next}`);
  });
  try {
    try {
      await fill(handle, target, textOf(edit(await contentIn(target, ifMissing))));
    } finally {
      await handle.close();
    }
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Returns where to write a missing file: where the symbolic link at `path` leads, or `path` if it is not a link. */
async function linkedFrom(path: string): Promise<string> {
  return resolve(dirname(path), await readlink(path).catch(() => path));
}

/**
 * Writes the new file, which those who could read the old one can read, and nobody else. Throws EditError if this user
 * cannot give it to them.
 */
async function fill(next: FileHandle, target: string, text: string): Promise<void> {
  const before = await stat(target).catch(() => undefined);
  const { uid, gid } = await next.stat();
  if (before && (before.uid !== uid || before.gid !== gid))
    await next.chown(before.uid, before.gid).catch((error: unknown) => {
      if (errorCode(error) !== 'EPERM') throw error;
      throw new EditError(
        `the file belongs to ${before.uid}:${before.gid}: only that user and group may replace it`,
      );
    });
  if (before) await next.chmod(before.mode & MODE_BITS);
  await next.writeFile(text);
  await next.sync();
}

/** Reads the file. Throws EditError if it is missing (without `ifMissing`), or if the gateway would refuse it. */
export async function contentIn(path: string, ifMissing?: ClientsContent): Promise<ClientsContent> {
  const text = await readTextFile(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  if (text !== undefined) return contentOf(text);
  if (ifMissing) return ifMissing;
  throw new EditError('there is no such file');
}
