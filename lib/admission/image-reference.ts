// The parts of a container image's name that decide about pulling: is it a name at all, and which tag does it ask for.

const pathComponent = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const domainComponent = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainComponent}(?:\\.${domainComponent})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const reference = new RegExp(
  `^(?:${domain}/)?${pathComponent}(?:/${pathComponent})*(?::(?<tag>[\\w][\\w.-]{0,127}))?(?<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** The tag of an image: `latest` when it names neither tag nor digest; `undefined` with a digest alone or when it is no image name. */
function imageTagOf(image: string): string | undefined {
  const match = reference.exec(image);
  if (match === null || /^[a-f0-9]{64}$/.test(image)) return undefined;
  return match.groups?.['tag'] ?? (match.groups?.['digest'] === undefined ? 'latest' : undefined);
}

/** `Always` for the tag `latest`, given or meant; else `IfNotPresent`. */
export const defaultPullPolicyOf = (image: string): 'Always' | 'IfNotPresent' =>
  imageTagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';
