// Speaks to the listener that this page came from, with the admin token if it wants one.

/** Key of the token in session storage, which lasts until the tab is closed. */
const TOKEN = 'marketgraph:admin-token';

/** Browsers that store nothing for sites throw even when they are only asked. */
function stored() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

let token = stored();

/** @param {string} given */
export function useToken(given) {
  token = given;
  try {
    sessionStorage.setItem(TOKEN, given);
  } catch {
    // It holds until the page is closed.
  }
}

export class Locked extends Error {
  /** @param {boolean} isWrong */
  constructor(isWrong) {
    super(isWrong ? 'That is not the token.' : '');
  }
}

/** The listener has refused the request: there is no such month. */
export class Refused extends Error {}

/** Throws `Locked` if the token is missing or wrong. @param {string} path @param {RequestInit} [init] */
export async function ask(path, init) {
  const headers = token === null ? undefined : { authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...init, ...(headers && { headers }) });
  if (response.status === 401) throw new Locked(token !== null);
  if (response.status === 400) throw new Refused(await reasonIn(response));
  if (!response.ok) throw new Error(await reasonIn(response));
  return response;
}

/** The listener gives its reasons as plain text; a proxy may answer in its place. @param {Response} response */
async function reasonIn(response) {
  const isPlain = response.headers.get('content-type')?.startsWith('text/plain');
  return isPlain ? response.text() : `the gateway answered ${response.status}`;
}
