// Stands in for EKS where the emulator has none of its own: before a real API server it takes the tokens that EKS takes. Whose they are
// it asks STS, as EKS does, and how they are let in EKS's access entries; both are the emulator's.
import { DescribeAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const STAND_IN =
  'stand-in: the emulator runs no API server for EKS; a real kube-apiserver asks a webhook, which asks the emulator: STS whose a token is, EKS for its access entry';

export interface EksFront {
  /** Flags of the API server whose tokens it judges. */
  apiServerFlags: string[];
  /** What was said of each token, the latest last. */
  verdicts: string[];
  stop: () => Promise<void>;
}

/** @param options.name the cluster's in EKS */
export async function startEksFront({
  name,
  region,
  endpoint,
  folder,
}: {
  name: string;
  region: string;
  endpoint: string;
  folder: string;
}): Promise<EksFront> {
  const eks = new EKSClient({ endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  const verdicts: string[] = [];

  const groupsOf = async (token: string): Promise<{ arn: string; groups: string[] }> => {
    const [prefix, encoded = ''] = token.split('.');
    if (prefix !== 'k8s-aws-v1') throw new Error('no token of AWS');
    const asked = new URL(Buffer.from(encoded, 'base64url').toString('utf8'));
    if (
      asked.origin !== `https://sts.${region}.amazonaws.com` ||
      asked.pathname !== '/' ||
      asked.searchParams.get('Action') !== 'GetCallerIdentity'
    )
      throw new Error(`a URL that EKS does not ask: ${asked.origin}${asked.pathname}`);
    const text = await callerIdentity(new URL(endpoint), asked, name);
    const arn = /<Arn>([^<]+)<\/Arn>/.exec(text)?.[1];
    if (arn === undefined) throw new Error(`STS does not know whose it is: ${text}`);
    const [, account, role] = /^arn:aws:sts::(\d+):assumed-role\/([^/]+)\//.exec(arn) ?? [];
    const principalArn = role === undefined ? arn : `arn:aws:iam::${account}:role/${role}`;
    const { accessEntry } = await eks.send(new DescribeAccessEntryCommand({ clusterName: name, principalArn }));
    return { arn, groups: accessEntry?.kubernetesGroups ?? [] };
  };

  const server = createServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const { spec }: { spec: { token: string } } = JSON.parse(await bodyOf(incoming));
      const status = await groupsOf(spec.token).then(
        ({ arn, groups }) => {
          verdicts.push(`${arn}: ${groups.join()}`);
          return { authenticated: true, user: { username: arn, groups } };
        },
        (error: unknown) => {
          verdicts.push(`refused: ${error instanceof Error ? error.message : String(error)}`);
          return { authenticated: false };
        },
      );
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status }));
    };
    answer().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = join(folder, 'eks-webhook.kubeconfig');
  const named = { name: 'eks' };
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ ...named, cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } }],
      users: [{ ...named, user: {} }],
      contexts: [{ ...named, context: { cluster: 'eks', user: 'eks' } }],
      'current-context': 'eks',
    }),
  );
  return {
    apiServerFlags: [
      `--authentication-token-webhook-config-file=${config}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=0s',
    ],
    verdicts,
    stop: async () => {
      eks.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The URL as it was signed, but at the emulator; the cluster's name goes with it, so that a token for another one is worth nothing. */
async function callerIdentity(endpoint: URL, asked: URL, cluster: string): Promise<string> {
  const options = {
    host: endpoint.hostname,
    port: endpoint.port,
    path: `${asked.pathname}${asked.search}`,
    headers: { host: asked.host, 'x-k8s-aws-id': cluster },
  };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options, resolve).once('error', reject).end();
  });
  return await bodyOf(incoming);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
