// The API server's rules for the Windows options of a pod and of its containers.
import type { FieldError } from '../../objects/field-error.ts';
import type { PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import { placedContainers } from './placed-containers.ts';
import { invalidFor, invalidValue } from '../../objects/refusals.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';

const credentialSpecLimitKiB = 64;
const domainLimitBytes = 256;
const userLimitBytes = 104;
const netBiosDomain = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsDomain = new RegExp(String.raw`^${dnsLabel}(?:\.${dnsLabel})*$`);

/** The refusals of a security context's Windows options that lie at `field`. */
export function validateWindowsOptions(options: unknown, field: string): FieldError[] {
  if (!isFields(options)) return [];
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const refusals: FieldError[] = [];
  if (typeof gmsaCredentialSpecName === 'string') {
    refusals.push(...invalidFor(`${field}.gmsaCredentialSpecName`, gmsaCredentialSpecName, problemsOfDnsSubdomain(gmsaCredentialSpecName)));
  }
  if (gmsaCredentialSpec === '') {
    refusals.push(invalidValue(`${field}.gmsaCredentialSpec`, '', 'gmsaCredentialSpec cannot be an empty string'));
  } else if (typeof gmsaCredentialSpec === 'string' && Buffer.byteLength(gmsaCredentialSpec) > credentialSpecLimitKiB * 1024) {
    const detail = `gmsaCredentialSpec size must be under ${credentialSpecLimitKiB} KiB`;
    refusals.push(invalidValue(`${field}.gmsaCredentialSpec`, gmsaCredentialSpec, detail));
  }
  if (typeof runAsUserName !== 'string') return refusals;
  const problems = problemsOfUserName(runAsUserName).map((problem) => `runAsUserName${problem}`);
  return [...refusals, ...invalidFor(`${field}.runAsUserName`, runAsUserName, problems)];
}

/** Problems of `user` or `DOMAIN\user`. */
function problemsOfUserName(name: string): string[] {
  if (name === '') return [' cannot be an empty string'];
  // Neither printable ASCII nor beyond ASCII.
  if (/[^ -~\u0080-\u{10FFFF}]/u.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (domain !== undefined) {
    if (Buffer.byteLength(domain) >= domainLimitBytes) problems.push(`'s Domain length must be under ${domainLimitBytes} characters`);
    if (!netBiosDomain.test(domain) && !dnsDomain.test(domain)) {
      problems.push("'s Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === '') problems.push("'s User cannot be empty");
  else if (Buffer.byteLength(user) > userLimitBytes) {
    problems.push(`'s User length must not be longer than ${userLimitBytes} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) problems.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return problems;
}

/** Containers that are processes of a Windows host: all of a pod's or none, and on the host's network. */
export function validateHostProcesses(spec: PodSpec, field: string): FieldError[] {
  const ofPod = isHostProcess(spec['securityContext']);
  const refusals: FieldError[] = [];
  const containers = placedContainers(spec, field);
  const onHost = containers.filter(({ container, path }) => {
    const own = isHostProcess(container['securityContext']);
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      refusals.push(invalidValue(`${path}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    return own ?? ofPod ?? false;
  });
  if (onHost.length === 0) return refusals;
  if (onHost.length < containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    refusals.push(invalidValue(field, '', detail));
  }
  if (spec['hostNetwork'] === true) return refusals;
  return [...refusals, invalidValue(`${field}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers')];
}

function isHostProcess(securityContext: unknown): boolean | undefined {
  const { hostProcess } = fieldsOf(fieldsOf(securityContext)['windowsOptions']);
  return typeof hostProcess === 'boolean' ? hostProcess : undefined;
}
