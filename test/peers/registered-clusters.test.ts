// The clusters' records and credentials of an installation on AWS, kept by services that nobody here wrote.
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DynamoDbClusters, createClustersTableInput } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import type { StoredAccess } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { SecretCredentials } from '../../lib/adapters/credentials/secret-credentials.ts';
import { toStored } from '../../lib/adapters/cluster-record/managed-kinds.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { aCluster, clustersContract } from '../contracts/clusters.ts';
import type { Peer } from './peer.ts';
import { startMinistack } from './peer.ts';

let peer: Peer;
let dynamodb: DynamoDBClient;
let secrets: SecretsManagerClient;
let tables = 0;

beforeAll(async () => {
  peer = await startMinistack();
  const connection = { endpoint: peer.endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  dynamodb = new DynamoDBClient(connection);
  secrets = new SecretsManagerClient(connection);
}, 900_000);

afterAll(async () => {
  dynamodb.destroy();
  secrets.destroy();
  await peer.stop();
});

async function freshTable(): Promise<string> {
  const tableName = `clusters-${++tables}`;
  await dynamodb.send(new CreateTableCommand(createClustersTableInput(tableName)));
  return tableName;
}

const open = async (tableName?: string, clock = new SystemClock()): Promise<DynamoDbClusters> =>
  new DynamoDbClusters({ client: dynamodb, tableName: tableName ?? (await freshTable()), clock });

clustersContract('DynamoDB', open);

describe('registered clusters on DynamoDB', () => {
  const access: StoredAccess = { server: 'https://api.example.com:6443', caPem: 'ca', auth: { kind: 'secret' } };

  test('R3: what one process writes, another sees within ten seconds; until then it works with what it has', async () => {
    const tableName = await freshTable();
    const clock = new VirtualClock();
    const [one, other] = [await open(tableName, clock), await open(tableName, clock)];
    await one.put(aCluster('one'), 0);
    expect(await other.get('one')).toMatchObject({ era: 0 });
    await one.put(aCluster('one', { era: 1 }), 1);
    expect(await one.get('one')).toMatchObject({ era: 1 });
    expect(await other.get('one')).toMatchObject({ era: 0 });
    await expect(other.put(aCluster('one', { era: 5 }), 1)).rejects.toMatchObject({ current: { era: 1, version: 2 } });
    // The refusal told what stands there.
    expect(await other.get('one')).toMatchObject({ era: 1 });
    await one.put(aCluster('one', { era: 2 }), 2);
    await clock.advance(10_001);
    expect(await other.get('one')).toMatchObject({ era: 2 });
  });

  test('a record and its access are written apart, and neither undoes the other', async () => {
    const tableName = await freshTable();
    const clusters = await open(tableName);
    await expect(clusters.putAccess('one', access)).rejects.toThrow('the cluster one is not registered');
    await clusters.put(aCluster('one'), 0);
    await clusters.putAccess('one', access);
    await clusters.put(aCluster('one', { era: 1 }), 1);
    const another = await open(tableName);
    expect(await another.get('one')).toMatchObject({ era: 1, version: 2 });
    expect(another.accessOf('one')).toEqual(access);
    expect(() => another.accessOf('elsewhere')).toThrow('there is no access for the cluster elsewhere: register it');
  });

  test('R15: an address that leads back to the function is not registered, and not dialled either if somebody else wrote it', async () => {
    const tableName = await freshTable();
    const clusters = await open(tableName);
    await clusters.put(aCluster('one'), 0);
    const servers = [
      ['http://api.example.com', 'https://127.0.0.1', 'https://[::1]:6443', 'https://localhost', 'https://a.localhost:1'],
      ['https://169.254.169.254', 'https://[fd00:ec2::254]', 'https://[fe80::1]', 'https://0.0.0.0', 'https://[::ffff:127.0.0.1]'],
      ['https://2130706433', 'https://0x7f.1', 'https://user:secret@api.example.com', 'file:///etc/passwd', 'api.example.com'],
    ].flat();
    for (const server of servers)
      await expect(clusters.putAccess('one', { ...access, server })).rejects.toThrow('server: https://host:port');
    const planted = { name: { S: 'one' }, version: { N: '1' }, record: { S: JSON.stringify(toStored(aCluster('one'))) } };
    await dynamodb.send(
      new PutItemCommand({
        TableName: tableName,
        Item: { ...planted, access: { S: JSON.stringify({ ...access, server: 'https://169.254.169.254' }) } },
      }),
    );
    const another = await open(tableName);
    await another.get('one');
    expect(() => another.accessOf('one')).toThrow('the access to the cluster one is not usable: server: https://host:port');
  });

  test('R13: a record that a person spoiled touches no other cluster, and is told of', async () => {
    const tableName = await freshTable();
    await (await open(tableName)).put(aCluster('good'), 0);
    for (const [name, record] of Object.entries({ bad: '{"name":"bad"}', torn: '{', other: JSON.stringify(toStored(aCluster('good'))) }))
      await dynamodb.send(
        new PutItemCommand({ TableName: tableName, Item: { name: { S: name }, version: { N: '1' }, record: { S: record } } }),
      );
    const faults: string[] = [];
    const clusters = new DynamoDbClusters({ client: dynamodb, tableName, clock: new SystemClock(), onFault: (name) => faults.push(name) });
    expect(await clusters.list()).toMatchObject([{ name: 'good' }]);
    expect(await clusters.get('bad')).toBeUndefined();
    expect(await clusters.get('../bad')).toBeUndefined();
    expect(faults.toSorted()).toEqual(['bad', 'bad', 'other', 'torn']);
    await expect(clusters.put(aCluster('Not A Name'), 0)).rejects.toThrow('name: lower case letters, digits and dashes');
  });
});

describe('credentials in Secrets Manager', () => {
  const token = (text: string): string => JSON.stringify({ kind: 'token', token: text });

  test('are read once in five minutes, by all together; a new one is seen then', async () => {
    const clock = new VirtualClock();
    let clients = 0;
    const client = async (): Promise<SecretsManagerClient> => {
      clients += 1;
      return secrets;
    };
    const credentials = new SecretCredentials({ client, prefix: 'farloop/test/clusters/', clock });
    await secrets.send(new CreateSecretCommand({ Name: 'farloop/test/clusters/one', SecretString: token('first') }));
    const asked = await Promise.all([credentials.of('one'), credentials.of('one')]);
    expect(asked).toEqual([{ authorization: 'Bearer first' }, { authorization: 'Bearer first' }]);
    expect(clients).toBe(1);
    await secrets.send(new PutSecretValueCommand({ SecretId: 'farloop/test/clusters/one', SecretString: token('second') }));
    expect(await credentials.of('one')).toEqual({ authorization: 'Bearer first' });
    await clock.advance(5 * 60_000);
    expect(await credentials.of('one')).toEqual({ authorization: 'Bearer second' });
    // One that was refused is read anew, once in five seconds, however many ask.
    await secrets.send(new PutSecretValueCommand({ SecretId: 'farloop/test/clusters/one', SecretString: token('third') }));
    credentials.forget('one');
    expect(await credentials.of('one')).toEqual({ authorization: 'Bearer second' });
    await clock.advance(5_000);
    credentials.forget('one');
    expect(await credentials.of('one')).toEqual({ authorization: 'Bearer third' });
    expect(clients).toBe(3);
  });

  test('one that is missing or none is told without its text, and asked for again', async () => {
    const credentials = new SecretCredentials({ client: async () => secrets, prefix: 'farloop/test/clusters/', clock: new SystemClock() });
    await expect(credentials.of('two')).rejects.toThrow('there is no secret farloop/test/clusters/two: register the cluster two again');
    await secrets.send(new CreateSecretCommand({ Name: 'farloop/test/clusters/two', SecretString: '{"token":"planted-secret"}' }));
    const refusal = await credentials.of('two').catch(String);
    expect(refusal).toContain('the secret farloop/test/clusters/two holds no credential');
    expect(refusal).not.toContain('planted-secret');
    const pair = { kind: 'clientCertificate', certPem: 'cert', keyPem: 'key' };
    await secrets.send(new PutSecretValueCommand({ SecretId: 'farloop/test/clusters/two', SecretString: JSON.stringify(pair) }));
    expect(await credentials.of('two')).toEqual({ certPem: 'cert', keyPem: 'key' });
  });
});
