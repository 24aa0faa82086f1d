// The certificate that an API server shows to nodes, and the flags that say so; for tests whose API server dials one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface KubeletClient {
  /** Of kube-apiserver. */
  flags: string[];
  folder: string;
  /** Of a caller: signed by the API server's own signer, or by another one. */
  certificate: (about: { name: string; group: string; isForeign?: true }) => Promise<{ cert: string; key: string }>;
  /** Its files go. */
  dispose: () => Promise<void>;
}

const common = { algorithm: 'sha256', keyType: 'ec', curve: 'P-256' } as const;

async function signer(name: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { cert, key };
}

export async function kubeletClient(): Promise<KubeletClient> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-kubelet-client-'));
  const own = await signer('a signer of clients');
  const foreign = await signer('another signer');
  const certificate: KubeletClient['certificate'] = async ({ name, group, isForeign }) => {
    const { cert, private: key } = await generate(
      [
        { name: 'commonName', value: name },
        { name: 'organizationName', value: group },
      ],
      {
        ...common,
        ca: isForeign ? foreign : own,
        extensions: [
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', clientAuth: true },
        ],
      },
    );
    return { cert, key };
  };
  const { cert, key } = await certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters' });
  const paths = { ca: join(folder, 'ca.crt'), cert: join(folder, 'client.crt'), key: join(folder, 'client.key') };
  await writeFile(paths.ca, own.cert);
  await writeFile(paths.cert, cert);
  await writeFile(paths.key, key, { mode: 0o600 });
  return {
    folder,
    certificate,
    dispose: async () => await rm(folder, { recursive: true, force: true }),
    flags: [`--client-ca-file=${paths.ca}`, `--kubelet-client-certificate=${paths.cert}`, `--kubelet-client-key=${paths.key}`],
  };
}
