import { describe, expect, test } from 'vitest';
import { open } from './harness.ts';
import * as spec from './spec.ts';

describe('the key of Group A', () => {
  test('is taken from X-API-Key and from a bearer token', async () => {
    const { a, sandbox } = await open();
    const { key } = sandbox.groupA;
    expect((await a('/v1/fx/rates', { 'x-api-key': key })).status).toBe(200);
    expect((await a('/v1/fx/rates', { authorization: `Bearer ${key}` })).status).toBe(200);
  });

  test('gives 401 missing_api_key if missing, and 401 invalid_api_key if wrong', async () => {
    const { a, sandbox } = await open();
    const { key } = sandbox.groupA;
    const codeFor = async (headers: Record<string, string>) => {
      const { status, body } = await a('/v1/fx/rates', headers);
      return [status, spec.errorA.parse(body).error];
    };
    expect(await codeFor({})).toEqual([401, 'missing_api_key']);
    expect(await codeFor({ authorization: `apikey ${key}` })).toEqual([401, 'missing_api_key']);
    expect(await codeFor({ 'x-api-key': 'vendor_other' })).toEqual([401, 'invalid_api_key']);
    expect(await codeFor({ authorization: 'Bearer x' })).toEqual([401, 'invalid_api_key']);
    expect(sandbox.spent()).toEqual({ fx: 0, macro: 0, credits: 0 });
  });

  test('is not needed for the health check, which costs nothing', async () => {
    const { a, sandbox } = await open();
    const { status, body } = await a('/health', {});
    expect(status).toBe(200);
    expect(spec.health.parse(body)).toMatchObject({ status: 'ok', db: true, cache: true });
    expect(sandbox.spent()).toEqual({ fx: 0, macro: 0, credits: 0 });
  });
});

describe('the key of Group B', () => {
  test('is taken from Authorization with the scheme word apikey', async () => {
    const { b } = await open({ keyB: 'vendor_secret' });
    const { status } = await b('/crypto/prices', { authorization: 'apikey vendor_secret' });
    expect(status).toBe(200);
  });

  test.each<Record<string, string>>([
    {},
    { authorization: 'apikey other' },
    { authorization: 'Bearer vendor_secret' },
    { 'x-api-key': 'vendor_secret' },
  ])('is refused with 401 invalid_api_key when the headers are %o', async (headers) => {
    const { b } = await open({ keyB: 'vendor_secret' });
    const { status, body } = await b('/crypto/prices', headers);
    expect([status, spec.errorB.parse(body).code]).toEqual([401, 'invalid_api_key']);
  });
});

test('the key is checked before path, method, parameters and limits', async () => {
  const { a, b } = await open({ credits: 0, fxQuota: 0, requestsPerSecond: 0 });
  expect((await b('/nowhere', {})).status).toBe(401);
  expect((await b('/crypto/prices?limit=0', {}, 'POST')).status).toBe(401);
  expect((await a('/v1/fx/rates', {})).status).toBe(401);
});

test('an unknown path gives 404 and another method 405, in the words of the group', async () => {
  const { a, b } = await open();
  const unknownA = await a('/v1/fx');
  const postedA = await a('/v1/fx/rates', undefined, 'POST');
  const unknownB = await b('/crypto');
  const postedB = await b('/crypto/prices', undefined, 'DELETE');
  expect([unknownA.status, postedA.status]).toEqual([404, 405]);
  expect([unknownB.status, postedB.status]).toEqual([404, 405]);
  expect(spec.errorA.parse(postedA.body).error).toBe('method_not_allowed');
  expect(spec.errorB.parse(unknownB.body).code).toBe('not_found');
});
