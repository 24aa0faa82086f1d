// The token by which EKS lets a function in. Whether it is signed rightly, the SDK's own signer says.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { EKS_TOKEN_KEPT_MS, EksTokens, eksToken } from '../../../lib/adapters/eks/eks-token.ts';

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', sessionToken: 'a/session+token==' };
const CLUSTER = { name: 'shop', region: 'eu-central-1' };
const NOW_MS = Date.UTC(2026, 10, 21, 12, 30, 45, 678);

const urlIn = (token: string): URL => new URL(Buffer.from(token.replace(/^k8s-aws-v1\./, ''), 'base64url').toString('utf8'));

describe('a token for EKS', () => {
  test("is a URL of that region's STS, signed as the SDK signs it, the cluster's name with it", async () => {
    const { searchParams, ...url } = { ...parts(await eksToken(KEY, CLUSTER, NOW_MS)) };
    expect(url).toEqual({ origin: 'https://sts.eu-central-1.amazonaws.com', pathname: '/' });
    const client = new DynamoDBClient({ region: CLUSTER.region, credentials: KEY });
    const signer = await client.config.signer();
    if (!('presign' in signer)) throw new Error('the signer of the SDK does not presign');
    const options: object = {
      expiresIn: 60,
      signingDate: new Date(NOW_MS),
      signingRegion: CLUSTER.region,
      signingService: 'sts',
      signableHeaders: new Set(['host', 'x-k8s-aws-id']),
      unhoistableHeaders: new Set(['x-k8s-aws-id']),
    };
    const { query = {} } = await (signer as Presigner).presign(
      {
        method: 'GET',
        protocol: 'https:',
        hostname: 'sts.eu-central-1.amazonaws.com',
        path: '/',
        query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
        headers: { host: 'sts.eu-central-1.amazonaws.com', 'x-k8s-aws-id': 'shop' },
      },
      options,
    );
    client.destroy();
    expect(Object.fromEntries(searchParams)).toEqual(query);
    // Of a signer that shares no code with the SDK's, for the same key, cluster and time.
    expect(searchParams.get('X-Amz-Signature')).toBe('7b9489456c41b5500ee2b39b2cbb094c63d0790573fd4d51ffeea27289171ab1');
  });

  test('asks the STS of its partition', async () => {
    expect(urlIn(await eksToken(KEY, { name: 'shop', region: 'cn-north-1' }, NOW_MS)).host).toBe('sts.cn-north-1.amazonaws.com.cn');
  });

  test('has no characters that a header could not hold', async () => {
    expect(await eksToken(KEY, CLUSTER, NOW_MS)).toMatch(/^k8s-aws-v1\.[-\w]+$/);
  });

  test('serves for ten minutes, is that of its cluster, and is signed anew when the clock was set back', async () => {
    let nowMs = NOW_MS;
    const tokens = new EksTokens({ key: async () => KEY, nowMs: () => nowMs });
    const first = await tokens.of(CLUSTER);
    nowMs += EKS_TOKEN_KEPT_MS - 1;
    expect(await tokens.of(CLUSTER)).toBe(first);
    expect(await tokens.of({ ...CLUSTER, name: 'other' })).not.toBe(first);
    nowMs += 1;
    const second = await tokens.of(CLUSTER);
    expect(second).not.toBe(first);
    nowMs -= 60_000;
    expect(await tokens.of(CLUSTER)).not.toBe(second);
  });
});

interface Presigner {
  presign: (request: object, options: object) => Promise<{ query?: Record<string, string> }>;
}

function parts(token: string): { origin: string; pathname: string; searchParams: URLSearchParams } {
  const { origin, pathname, searchParams } = urlIn(token);
  return { origin, pathname, searchParams };
}
