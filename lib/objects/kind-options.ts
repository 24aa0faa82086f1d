// Options of kinds, as a cluster's record and a pass's snapshot hold them. The kind's row (lib/kinds) says which there are and what they
// mean. A build keeps options that it does not know.

/** Values by the name of the flag without dashes. */
export type KindOptions = Readonly<Record<string, string>>;

/** Value of an option that is a switch. */
export const SWITCHED_ON = 'on';

export const OPTION_NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Characters of a value. */
export const LONGEST_OPTION = 4_096;
