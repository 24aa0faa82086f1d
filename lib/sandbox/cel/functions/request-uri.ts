// URIs as requests name them: absolute, or an absolute path.

/** Those of ASCII. */
const control = /(?=[^\x80-\u{10ffff}])\p{Cc}/u;
const badEscape = /%(?![0-9a-fA-F]{2})/;
/** In a host, only what is not ASCII may be escaped, and the percent sign. */
const badEscapeOfHost = /%(?![89a-fA-F][0-9a-fA-F]|25)/;

/** As Go's `url.ParseRequestURI` takes them. */
export function isRequestUri(text: string): boolean {
  if (text === '' || control.test(text)) return false;
  if (text === '*') return true;
  const [, scheme] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? [];
  const [rest = ''] = (scheme === undefined ? text : text.slice(scheme.length + 1)).split('?');
  if (!rest.startsWith('/')) return scheme !== undefined;
  const [, authority, path] = (scheme === undefined ? undefined : /^\/\/([^/]*)(.*)$/s.exec(rest)) ?? [];
  return !badEscape.test(path ?? rest) && (authority === undefined || isAuthority(authority));
}

/** User, host and port. */
function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@');
  const user = text.slice(0, Math.max(at, 0));
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && !badEscape.test(user) && isHost(text.slice(at + 1));
}

function isHost(text: string): boolean {
  const literal = /^\[([^[]*)\](:[0-9]*)?$/.exec(text);
  if (literal) return URL.canParse(`http://[${(literal[1] ?? '').replace(/%25.*$/s, '')}]/`);
  if (text.includes('[')) return false;
  const [, port = ''] = /:([^:]*)$/.exec(text) ?? [];
  return /^\d*$/.test(port) && !badEscapeOfHost.test(text) && !/[ #\\^`{|}/?@]/.test(text);
}
