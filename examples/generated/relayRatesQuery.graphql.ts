/**
 * @generated SignedSource<<1958cc4045474ed7898d666d5dd7cc12>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type relayRatesQuery$variables = {
  pairs?: ReadonlyArray<string> | null | undefined;
};
export type relayRatesQuery$data = {
  readonly fxRates: {
    readonly nodes: ReadonlyArray<{
      readonly mid: number;
      readonly pair: string;
    }>;
  } | null | undefined;
};
export type relayRatesQuery = {
  response: relayRatesQuery$data;
  variables: relayRatesQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "pairs"
  }
],
v1 = [
  {
    "fields": [
      {
        "kind": "Variable",
        "name": "pairs",
        "variableName": "pairs"
      }
    ],
    "kind": "ObjectValue",
    "name": "filter"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "pair",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "mid",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "relayRatesQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "FxRateConnection",
        "kind": "LinkedField",
        "name": "fxRates",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "FxRate",
            "kind": "LinkedField",
            "name": "nodes",
            "plural": true,
            "selections": [
              (v2/*:: as any*/),
              (v3/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "relayRatesQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "FxRateConnection",
        "kind": "LinkedField",
        "name": "fxRates",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "FxRate",
            "kind": "LinkedField",
            "name": "nodes",
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
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "4f1ee7235e5bb900b03037f46d18818a",
    "id": null,
    "metadata": {},
    "name": "relayRatesQuery",
    "operationKind": "query",
    "text": "query relayRatesQuery(\n  $pairs: [CurrencyPair!]\n) {\n  fxRates(filter: {pairs: $pairs}) {\n    nodes {\n      pair\n      mid\n      id\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "6c138c0e698debec505061a08f9a47d9";

export default node;
