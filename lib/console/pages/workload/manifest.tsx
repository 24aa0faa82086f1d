// It as its API server has it, to read and to copy.
import { useMemo } from 'preact/hooks';
import { AskedBar } from '../../parts/asked-bar.tsx';
import { CopyButton } from '../../parts/command.tsx';
import { countText } from '../../parts/progress.tsx';
import { yamlText } from '../../parts/yaml-text.ts';
import { apiPathOf } from '../../state/address.ts';
import type { WorkloadManifest } from '../../state/answers.ts';
import { useAsked } from '../../state/asked.ts';
import type { TabProps } from './tab.ts';

export function ManifestTab({ named }: TabProps) {
  const asked = useAsked<WorkloadManifest>(`${apiPathOf(named)}/manifest`, { isRaw: true });
  const text = useMemo(() => asked.data && yamlText(asked.data.manifest), [asked.data]);
  const masked = asked.data?.maskedValues ?? 0;
  return (
    <section>
      <AskedBar asked={asked} thing="Its manifest" />
      {text !== undefined && (
        <>
          <p>
            <CopyButton text={text} what="the manifest" />{' '}
            {masked > 0 && (
              <span class="soft">
                {countText(masked, 'value')} of environment variables {masked === 1 ? 'stands' : 'stand'} as ***
              </span>
            )}
          </p>
          <pre class="manifest" tabIndex={0} role="region" aria-label="Manifest">
            {text}
          </pre>
        </>
      )}
    </section>
  );
}
