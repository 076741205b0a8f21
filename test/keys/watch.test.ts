import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../src/documents/watch.ts';
import { temporaryFolder } from '../harness.ts';

test('a file that changes all the time is taken up all the same', async () => {
  const path = join(temporaryFolder(), 'clients.json');
  writeFileSync(path, '');
  let isTakenUp = false;
  const onChange = async () => (isTakenUp = true);
  const watch = watchFiles({ paths: [path], signature: '', everyMs: 20, onChange });
  onTestFinished(() => watch.stop());
  for (let size = 1; !isTakenUp && size < 500; size += 1) {
    writeFileSync(path, 'x'.repeat(size));
    await pause(5);
  }
  expect(isTakenUp).toBe(true);
});
