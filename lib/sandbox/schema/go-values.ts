// Times and bytes as Go reads them from JSON: what it takes, and what it gives back.

const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)([.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * A time as the server gives it back, in UTC, to the second or microsecond; undefined for any other text.
 * @param isMicro exactly six digits of a second are asked for
 */
export function readTime(text: string, isMicro: boolean): string | undefined {
  const [found, year, month, day, hour, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = parts.exec(text) ?? [];
  if (found === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(hours) > 24 || Number(minutes) > 60 || (isMicro && fraction.length !== 7)) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // Another month: the calendar does not have this day.
  if (at.getUTCMonth() !== Number(month) - 1) return undefined;
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  at.setUTCHours(Number(hour), Number(minute) - offsetMinutes, Number(second));
  return at.toISOString().replace(/\.\d+Z$/, `${isMicro ? `.${fraction.slice(1)}` : ''}Z`);
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes in base64 as the server gives them back, without line breaks; undefined for any other text. Padding is asked for. */
export function readBytes(text: string): string | undefined {
  const bare = text.replaceAll(/[\r\n]/g, '');
  return base64.test(bare) ? bare : undefined;
}
