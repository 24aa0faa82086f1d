// `farloop crds`: the definitions of the kinds that bring their own, for clusters where no operator of theirs has ever been.
import { Command } from 'commander';
import { ALL_FACTS } from '../../kinds/facts.ts';
import { yamlText } from '../terminal/output.ts';

/** Groups of installed resources have a dot. */
const CUSTOM = [...new Set(ALL_FACTS.map(({ resource }) => resource.apiVersion))].filter((version) => version.includes('.'));

export const definitionsCommand = (): Command =>
  new Command('crds')
    .description(`Print the definitions of the kinds of ${CUSTOM.join(', ')}, for kubectl apply.`)
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
