// What the manifests that people keep may give to `farloop relay`.
import { expect, test } from '@jest/globals';
import { relayCommand } from '../../../lib/cli/relay/relay.ts';

function commanderIn(given: string): unknown {
  const command = relayCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parseOptions([`--commander=${given}`]);
  return command.opts()['commander'];
}

test.each([
  { name: 'a role', given: 'AROAEXAMPLE', taken: 'AROAEXAMPLE' },
  { name: 'nothing, with direct access', given: '', taken: '' },
  // As Kubernetes leaves it where no variable has that name: settings written for an earlier version begin no relay in vain.
  { name: 'a setting that is missing', given: '$(COMMANDER)', taken: '' },
])('the commander of a relay: $name', ({ given, taken }) => {
  expect(commanderIn(given)).toBe(taken);
});

test.each(['arn:aws:iam::1:role/a', '$COMMANDER', 'x'.repeat(129)])('the commander of a relay is not %s', (given) => {
  expect(() => commanderIn(given)).toThrow('Expected the unique id of an IAM role');
});
