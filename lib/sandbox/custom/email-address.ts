// E-mail addresses as mail headers hold them, with or without a display name.

const atomCharacter = String.raw`[^\x00-\x20\x7f()<>[\]:;@\\,".]`;
const dotted = String.raw`${atomCharacter}+(?:\.${atomCharacter}+)*`;
const quotedText = String.raw`"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\x09\x20-\x7e])+"`;
const literal = String.raw`\[[!-Z^-~]*\]`;
const address = String.raw`(?:${dotted}|${quotedText})@[ \t]*(?:${dotted}|${literal})`;
const phrase = String.raw`(?:${atomCharacter}|\.|${quotedText}|[ \t])*`;
const comment = String.raw`\([^()]*\)`;

/** Blanks before a name are a part of it: each blank is read in one way, else a text of many takes their square. */
const one = String.raw`(?:[ \t]*${address}(?:[ \t]*${comment})?|${phrase}<${address}>)[ \t]*`;

/** An address, or a group that holds one. */
const whole = new RegExp(String.raw`^(?:${one}|${phrase}:${one};[ \t]*)$`);

export const isEmailAddress = (text: string): boolean => whole.test(text);
