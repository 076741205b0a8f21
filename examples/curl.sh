#!/bin/sh
# What any HTTP client can do: a query, a persisted operation by GET with its ETag, a dry run, live updates.
# Start the gateway with
#   PERSISTED_DOCUMENTS=src/operations/generated/apollo-manifest.json npm start
# since a persisted operation can be requested by its id only if a manifest lists it.
set -eu
url=${MARKETGRAPH_URL:-http://127.0.0.1:4000/graphql}
# A client's key, if clients have names: `npm run client -- add NAME` prints one.
key=${MARKETGRAPH_KEY:-}
manifest=${MANIFEST:-src/operations/generated/apollo-manifest.json}

ask() { curl -sS -H "authorization: Bearer $key" "$@"; }

echo '# A query'
ask "$url" -H 'content-type: application/json' \
  -d '{"query":"{ fxRate(pair: \"USDTRY\") { pair mid } }"}'
echo

echo '# A persisted operation by its id, and again with its ETag, which answers 304'
id=$(grep -B1 '"name": "Rates"' "$manifest" | sed -n 's/.*"id": "\(.*\)".*/\1/p')
etag=$(ask -D - -o /dev/null -G "$url" --data-urlencode "documentId=$id" |
  tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
if [ -n "$etag" ]; then
  ask -o /dev/null -w '%{http_code}\n' -G "$url" --data-urlencode "documentId=$id" \
    -H "if-none-match: $etag"
else
  echo "no ETag: the answer has errors, or the gateway was started without PERSISTED_DOCUMENTS=$manifest"
fi

echo '# What a query would cost'
ask "$url" -H 'content-type: application/json' -H 'x-usage-dry-run: 1' \
  -d '{"query":"{ cryptoAsset(symbol: \"BTC\") { price } }"}'
echo

echo '# Live updates over server-sent events, for two seconds'
# The timeout after two seconds is not an error.
ask --no-show-error -N --max-time 2 -G "$url" -H 'accept: text/event-stream' \
  --data-urlencode 'query=subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }' || true
