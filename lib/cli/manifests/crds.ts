// `farloop crds`: the definitions of the training kinds, for clusters where no training operator has ever been.
import { Command } from 'commander';
import { yamlText } from '../terminal/output.ts';

export const definitionsCommand = (): Command =>
  new Command('crds')
    .description('Print the definitions of the training kinds (kubeflow.org/v1), for kubectl apply.')
    .option(
      '--admission',
      'after them, a ValidatingAdmissionPolicy and its binding for each kind: invalid jobs are refused when they are applied (Kubernetes 1.30 or newer)',
      false,
    )
    .addHelpText(
      'after',
      `
A cluster that has the definitions of a training operator keeps them: leave these out there.

Examples:
  farloop crds | kubectl apply --server-side -f -
  farloop crds --admission | kubectl apply --server-side -f -`,
    )
    .action(async ({ admission }: { admission: boolean }) => {
      const [{ kindDefinitions, kindPolicies }, { definitionSchemaOf }] = await Promise.all([
        import('../../kinds/definitions.ts'),
        import('../../sandbox/schema/definition-schema.ts'),
      ]);
      for (const manifest of [...kindDefinitions(definitionSchemaOf), ...(admission ? kindPolicies() : [])])
        process.stdout.write(`---\n${await yamlText(manifest)}`);
    });
