// The file by which kubectl and others find and enter the sandbox.

/** A kubeconfig as YAML. Every value stands in quotes, so nothing needs a YAML writer. */
export function kubeconfigFor({ url, caPem, token }: { url: string; caPem: string; token: string }): string {
  const ca = Buffer.from(caPem).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
  - name: farloop
    cluster:
      server: ${JSON.stringify(url)}
      certificate-authority-data: ${JSON.stringify(ca)}
users:
  - name: farloop
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: farloop
    context:
      cluster: farloop
      user: farloop
      namespace: default
current-context: farloop
`;
}
