// What somebody who may write a cluster's record or its access could try.

export interface RecordInput {
  name: string;
  /** Instead of fields of a sound record, or of a sound access. */
  record?: Record<string, unknown>;
  access?: Record<string, unknown>;
  answer: string;
}

const notDialled = 'not usable: nothing is dialled';
const notWritten = 'not written, and not read where somebody else wrote it';

const server = (name: string, url: string): RecordInput => ({ name, access: { server: url }, answer: notDialled });

export const RECORD_INPUTS: readonly RecordInput[] = [
  server('plain http', 'http://cluster.example'),
  server('another protocol', 'file:///etc/passwd'),
  server('no URL', 'cluster.example:6443'),
  server('a password in the URL', 'https://user:password@cluster.example'),
  server('the loopback', 'https://127.0.0.1:6443'),
  server('the loopback by another number', 'https://127.8.8.8'),
  server('the loopback as one number', 'https://2130706433/'),
  server('the loopback in octal', 'https://0177.0.0.1/'),
  server('the loopback in short', 'https://127.1/'),
  server('the loopback by name', 'https://localhost:6443'),
  server('the loopback by a name below it', 'https://api.localhost'),
  server('the loopback over IPv6', 'https://[::1]:6443'),
  server('the loopback in IPv6 clothes', 'https://[::ffff:127.0.0.1]'),
  server('any address', 'https://0.0.0.0'),
  server('the metadata service', 'https://169.254.169.254/latest/meta-data'),
  server('the metadata service as one number', 'https://2852039166/'),
  server("a container's credentials", 'https://169.254.170.2/v2/credentials'),
  server('the metadata service over IPv6', 'https://[fd00:ec2::254]'),
  server('the metadata service in IPv6 clothes', 'https://[::ffff:a9fe:a9fe]'),
  server('a link-local address', 'https://[fe80::1]'),
  { name: 'a credential in the record itself', access: { auth: { kind: 'token', token: 'planted' } }, answer: notDialled },
  { name: 'a program to run for a credential', access: { auth: { kind: 'exec', command: 'sh' } }, answer: notDialled },
  {
    name: 'an EKS cluster in a region that is a host of theirs',
    access: { auth: { kind: 'eks', cluster: { name: 'shop', region: 'evil.example/#-1' } } },
    answer: notDialled,
  },
  {
    name: 'an EKS cluster whose name holds another header',
    access: { auth: { kind: 'eks', cluster: { name: 'shop\r\nhost: evil.example', region: 'eu-central-1' } } },
    answer: notDialled,
  },
  { name: 'no authority, so that any would do', access: { caPem: '' }, answer: notDialled },
  { name: 'an authority that is no text', access: { caPem: 7 }, answer: notDialled },
  { name: 'a cluster name that leads upwards', record: { name: '../prod' }, answer: notWritten },
  { name: 'a cluster name with a pattern in it', record: { name: 'prod*' }, answer: notWritten },
  { name: 'a cluster name of 41 letters', record: { name: 'n'.repeat(41) }, answer: notWritten },
  { name: "the name of another cluster's dead letters", record: { name: 'prod-dead' }, answer: notWritten },
  { name: 'no sender at all, as an empty text', record: { senders: [''] }, answer: notWritten },
  { name: 'an era below 0', record: { era: -1 }, answer: notWritten },
  { name: 'no budget', record: { budget: { writesPerSecond: 0, burst: 0 } }, answer: notWritten },
  { name: 'a way of managing that there is none of', record: { manages: ['Everything'] }, answer: notWritten },
  { name: 'namespaces as one text', record: { namespaces: 'all' }, answer: notWritten },
];
