import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../src/documents/file-watch.ts';
import { temporaryFolder } from '../harness.ts';

test('a file that changes all the time is still taken up', async () => {
  const path = join(temporaryFolder(), 'clients.json');
  let size = 0;
  const change = () => writeFileSync(path, 'x'.repeat((size += 1)));
  change();
  const writer = setInterval(change, 5);
  onTestFinished(() => clearInterval(writer));
  const isTakenUp = await new Promise((resolve) => {
    const onChange = async () => {
      resolve(true);
      return true;
    };
    const stop = watchFiles({ paths: [path], signature: '', everyMs: 20, onChange });
    onTestFinished(stop);
    setTimeout(resolve, 60_000, false).unref();
  });
  expect(isTakenUp).toBe(true);
});
