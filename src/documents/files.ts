import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextFile } from '../config/text-file.ts';
import { asError, errorCode } from '../maybe.ts';
import { sha256 } from './ids.ts';
import { type ListedOperation, type Manifest, type Problem, readManifest } from './manifest.ts';

/** Reads listed operations from a manifest file, or from a folder with one document per file. */

export interface FoundOperation extends ListedOperation {
  file: string;
}

export interface FoundProblem extends Problem {
  file: string;
}

interface FoundOperations {
  operations: FoundOperation[];
  problems: FoundProblem[];
}

const DOCUMENT = /\.(graphql|gql)$/;

/** Reads all that the file or folder at `path` lists. If that fails, a problem says so, and `isRead` is false. */
export async function readOperations(path: string): Promise<FoundOperations & { isRead: boolean }> {
  try {
    const files = await filesOf(path);
    const found = await Promise.all(files.map(operationsIn));
    const problems = found.flatMap((one) => one.problems);
    if (files.length === 0) problems.push({ file: path, reason: 'contains no .graphql file' });
    return { operations: found.flatMap((one) => one.operations), problems, isRead: true };
  } catch (error) {
    return {
      operations: [],
      problems: [{ file: path, reason: `cannot be read (${reasonOf(error)})` }],
      isRead: false,
    };
  }
}

/** The file itself, or all documents in the folder and below. */
async function filesOf(path: string): Promise<string[]> {
  return (await stat(path)).isDirectory()
    ? (await documentsIn(path, new Set())).toSorted()
    : [path];
}

/**
 * Enters each folder once, even if several links lead to it. In a folder that Kubernetes fills, `..data` and what it
 * leads to hold the same files once more.
 */
async function documentsIn(folder: string, entered: Set<string>): Promise<string[]> {
  const place = await realpath(folder);
  if (entered.has(place)) return [];
  entered.add(place);
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('..')) continue;
    if (DOCUMENT.test(entry.name)) found.push(path);
    else if (await isFolder(entry, path)) found.push(...(await documentsIn(path, entered)));
  }
  return found;
}

/** A link that leads nowhere is not one. */
async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const target = await stat(path).catch(() => undefined);
  return target?.isDirectory() ?? false;
}

async function operationsIn(file: string): Promise<FoundOperations> {
  const text = await readTextFile(file);
  const { operations, problems } = DOCUMENT.test(file) ? readDocument(text) : readManifest(text);
  return {
    operations: operations.map((operation) => ({ ...operation, file })),
    problems: problems.map((problem) => ({ ...problem, file })),
  };
}

function readDocument(text: string): Manifest {
  return { operations: [{ id: sha256(text), body: text }], problems: [] };
}

/** Returns a text that differs whenever something in the files has changed. */
export async function signatureOf(paths: readonly string[]): Promise<string> {
  const signatures = await Promise.all(paths.map(signatureOfPath));
  return signatures.flat().join('\n');
}

async function signatureOfPath(path: string): Promise<string[]> {
  try {
    return await Promise.all((await filesOf(path)).map(signatureOfFile));
  } catch (error) {
    return [`${path} ${reasonOf(error)}`];
  }
}

async function signatureOfFile(file: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return [file, ino, size, mtimeNs, ctimeNs].join(' ');
}

/** Returns the system's error code, such as ENOENT, or else the message. */
const reasonOf = (error: unknown): string => errorCode(error) ?? asError(error).message;
