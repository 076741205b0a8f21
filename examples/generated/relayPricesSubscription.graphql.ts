/**
 * @generated SignedSource<<7712a78acbd6cde917b46f312b926a4a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayPricesSubscription$variables = {
  symbols: ReadonlyArray<string>;
};
export type relayPricesSubscription$data = {
  readonly cryptoAssetsUpdated: ReadonlyArray<{
    readonly price: number;
    readonly symbol: string;
  }>;
};
export type relayPricesSubscription = {
  response: relayPricesSubscription$data;
  variables: relayPricesSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "symbols"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "symbols",
    "variableName": "symbols"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "symbol",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "price",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayPricesSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "CryptoAsset",
        "kind": "LinkedField",
        "name": "cryptoAssetsUpdated",
        "plural": true,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayPricesSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "CryptoAsset",
        "kind": "LinkedField",
        "name": "cryptoAssetsUpdated",
        "plural": true,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "9579176d3e354ff6310541cfb8d9b7c8",
    "id": null,
    "metadata": {},
    "name": "relayPricesSubscription",
    "operationKind": "subscription",
    "text": "subscription relayPricesSubscription(\n  $symbols: [String!]!\n) {\n  cryptoAssetsUpdated(symbols: $symbols) {\n    symbol\n    price\n    id\n  }\n}\n"
  }
};
})();

(node as any).hash = "fecc44eb890d7b01af883ab597c5135f";

export default node;
