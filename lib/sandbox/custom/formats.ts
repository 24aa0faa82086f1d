// The formats of texts that the API server checks, with what it takes for each of them.
import { isIPv6 } from 'node:net';
import { isEmailAddress } from './email-address.ts';
import { isRequestUri } from '../cel/functions/request-uri.ts';

const uuid = (third: string, fourth: string): RegExp => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i');
const anyUuid = uuid('[0-9a-f]{4}', '[0-9a-f]{4}');
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const colorPart = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const card = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

/** Names without their dashes. */
const checks: ReadonlyMap<string, (text: string) => boolean> = new Map(
  Object.entries({
    bsonobjectid: matches(/^[0-9a-f]{24}$/i),
    byte: matches(base64),
    cidr: isCidr,
    creditcard: isCreditCard,
    date: isDate,
    datetime: isDateTime,
    duration: isDuration,
    email: isEmailAddress,
    hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    hostname: isHostname,
    ipv4: (text: string) => isIpv4(text) || (isIpAddress(text) && text.includes('.')),
    ipv6: (text: string) => isIPv6(text) && !text.includes('%'),
    isbn: (text: string) => isIsbn10(text) || isIsbn13(text),
    isbn10: isIsbn10,
    isbn13: isIsbn13,
    k8slongname: (text: string) => text.length <= 253 && longName.test(text),
    k8sshortname: (text: string) => text.length <= 63 && shortName.test(text),
    mac: isMac,
    password: () => true,
    rgbcolor: matches(new RegExp(String.raw`^rgb\(${colorPart},${colorPart},${colorPart}\)$`)),
    ssn: (text: string) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
    uri: isRequestUri,
    uuid: matches(anyUuid),
    uuid3: matches(uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')),
    uuid4: matches(uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')),
    uuid5: matches(uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')),
  }),
);

const plain = (format: string): string => format.replaceAll('-', '');

export const isTextFormat = (format: string): boolean => checks.has(plain(format));

/** Whether a text has a format. True for a format of which nothing is known. */
export const isOfFormat = (text: string, format: string): boolean => checks.get(plain(format))?.(text) ?? true;

/** The format by which values of a type are checked; empty where the API server does not know it. @param type undefined where it may be several */
export function formatIn(type: string | undefined, format: string): string {
  if (type === undefined || type === 'string') return isTextFormat(format) ? format : '';
  const ofType: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] };
  return ofType[type]?.includes(format) ? format : '';
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === '') return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(day) > 0 && Number(month) > 0;
}

/** Of the time after the date, hours, minutes and seconds have bounds; its zone need only look like one. */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  if (!isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time) ?? [];
  return hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
/** A name that begins with the last word of its line is taken for it too: `seconds`. */
const units: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** As Go writes durations, or numbers of 64 bits with units in words anywhere in the text: `22 ns`, `3 weeks`. */
function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  const parts = Array.from(text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g));
  if (parts.some(([, factor = '']) => BigInt.asIntN(64, BigInt(factor)) !== BigInt(factor))) return false;
  return parts.some(([, , word = '']) => {
    const unit = word.toLowerCase();
    return units.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit));
  });
}

/** Leading zeros are taken for decimal. */
const isIpv4 = (text: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

const isIpAddress = (text: string): boolean => isIpv4(text) || (isIPv6(text) && !text.includes('%'));

function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? [];
  return isIpAddress(address) && Number(bits) <= (isIpv4(address) ? 32 : 128);
}

/** In pairs of digits, in groups of four, or in one go. */
const hardwareAddress = /^[0-9a-f]{2}(?:(:|-)[0-9a-f]{2}(?:\1[0-9a-f]{2})*|(?:[0-9a-f]{2})*|[0-9a-f]{2}(?:\.[0-9a-f]{4})+)$/i;

function isMac(text: string): boolean {
  return hardwareAddress.test(text) && [6, 8, 20].includes(text.replaceAll(/[^0-9a-f]/gi, '').length / 2);
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, '');
  if (!card.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? (value % 10) + 1 : value);
    }, 0);
  return sum % 10 === 0;
}

const isbnCharacters = (text: string): string => text.replaceAll(/[\s-]+/g, '');

function isIsbn10(text: string): boolean {
  const characters = isbnCharacters(text);
  if (!/^(?:\d{9}X|\d{10})$/.test(characters)) return false;
  return Array.from(characters).reduce((sum, character, at) => sum + (at + 1) * (character === 'X' ? 10 : Number(character)), 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const characters = isbnCharacters(text);
  if (!/^\d{13}$/.test(characters)) return false;
  return Array.from(characters).reduce((sum, character, at) => sum + (at % 2 === 0 ? 1 : 3) * Number(character), 0) % 10 === 0;
}

const hostLabel = String.raw`[a-zA-Z0-9\p{S}\p{L}]`;
const host = new RegExp(
  String.raw`^(?:${hostLabel}(?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:${hostLabel}(?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}${hostLabel})?\.)+[a-zA-Z\p{L}]{2,63})$`,
  'u',
);

function isHostname(text: string): boolean {
  return Buffer.byteLength(text) <= 255 && text.split('.').every((label) => Buffer.byteLength(label) <= 63) && host.test(text);
}
