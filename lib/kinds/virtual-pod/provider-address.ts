// Where a provider that is reached by HTTP answers.
import { isLoopback } from '../../objects/values/loopback.ts';

/** @returns why nothing is sent there, for people; undefined: it is an address. Pods go there with the values of their secrets */
export function problemOfProviderAddress(text: string): string | undefined {
  const url = URL.parse(text);
  const shown = JSON.stringify(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return `${shown} is not the address of a provider: expected https://host:port, or http://127.0.0.1:port on this machine.`;
  if (url.username !== '' || url.password !== '')
    return 'The address of a provider holds no name or password: give a bearer token in a file, with --provider-token-file.';
  if (url.search !== '' || url.hash !== '') return `${shown}: expected the address alone, without what follows a "?" or "#".`;
  if (url.protocol === 'http:' && !isLoopback(url))
    return `${shown} is plain http, which would send the values of secrets in the clear: beyond this machine only https is taken.`;
  return undefined;
}
