// The registered clusters in a small DynamoDB table of their own: dropping the table of views loses no registration (R1).
// An item is one cluster: its record, which passes and people write under its version, and its access, which people alone write.
import {
  DeleteItemCommand,
  GetItemCommand,
  ScanCommand,
  UpdateItemCommand,
  type AttributeValue,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import { RECORD_AGE_MS_MAX, type ClusterRecord, type Clusters } from '../../ports/clusters.ts';
import { TerminalError } from '../../ports/errors.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { translated } from '../aws/aws-errors.ts';
import { lostCondition } from './failed-condition.ts';
import { fromStored, StoredManages, toStored } from '../cluster-record/managed-kinds.ts';
import { optionsFromStored, optionsToStored, StoredOptions } from '../cluster-record/kind-options.ts';
import { ClusterName, EksClusterName, serverFields } from '../cluster-record/registered-access.ts';

const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.pipe(v.string(), v.minLength(1));

const StoredRecord = v.object({
  name: ClusterName,
  era: wholeNumber,
  kubeSystemUid: v.exactOptional(text),
  ...StoredManages.entries,
  namespaces: v.array(text),
  senders: v.array(text),
  budget: v.object({ writesPerSecond: v.pipe(v.number(), v.minValue(1)), burst: v.pipe(v.number(), v.minValue(1)) }),
  draining: v.exactOptional(v.literal(true)),
  leaving: v.exactOptional(v.literal(true)),
  actions: v.exactOptional(v.literal(true)),
  access: v.exactOptional(v.picklist(['direct', 'relayed'])),
  identity: v.exactOptional(v.picklist(['user', 'irsa', 'pod-identity'])),
  credential: v.exactOptional(v.picklist(['service-account', 'kubeconfig', 'eks'])),
  relayNamespace: v.exactOptional(text),
  eks: v.exactOptional(EksClusterName),
  ...StoredOptions.entries,
});

/**
 * How functions reach a cluster. Nothing in it is secret: a credential lies in Secrets Manager, under the cluster's name, or is the
 * function's own role, which EKS lets in.
 */
const storedAccess = (allowLoopback: boolean) =>
  v.object({
    ...serverFields(allowLoopback),
    auth: v.variant('kind', [v.object({ kind: v.literal('secret') }), v.object({ kind: v.literal('eks'), cluster: EksClusterName })]),
  });
export type StoredAccess = v.InferOutput<ReturnType<typeof storedAccess>>;

/** For tests and tools; in AWS the stack makes the table. */
export const createClustersTableInput = (tableName: string): CreateTableCommandInput => ({
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{ AttributeName: 'name', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'name', AttributeType: 'S' }],
});

type Item = Record<string, AttributeValue>;

interface Known {
  record: ClusterRecord;
  access: string | undefined;
  readAtMs: number;
}

export interface DynamoDbClustersOptions {
  client: DynamoDBClient;
  tableName: string;
  clock: Clock;
  /** Only for a stage that tests remove again. */
  allowLoopback?: boolean;
  /** Called for an item that a person wrote and that is not a record: such a cluster counts as not registered, and no other is touched. */
  onFault?: (cluster: string, fault: string) => void;
}

export class DynamoDbClusters implements Clusters {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #access: ReturnType<typeof storedAccess>;
  readonly #onFault: (cluster: string, fault: string) => void;
  readonly #known = new Map<string, Known>();

  constructor({ client, tableName, clock, allowLoopback = false, onFault = () => {} }: DynamoDbClustersOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#clock = clock;
    this.#access = storedAccess(allowLoopback);
    this.#onFault = onFault;
  }

  /** Up to ten seconds old. Absence is never cached: the cluster may just have been registered. */
  async get(name: string): Promise<ClusterRecord | undefined> {
    const known = this.#known.get(name);
    const nowMs = this.#clock.monotonicMs();
    if (known && nowMs - known.readAtMs < RECORD_AGE_MS_MAX) return structuredClone(known.record);
    // The name came from a message: the table is not asked for one that no cluster can have.
    if (!v.is(ClusterName, name)) return undefined;
    const item = await this.#read(name);
    return item ? this.#learn(item) : this.#forget(name);
  }

  /** @returns whether anything stands under that name, be it no record */
  async holds(name: string): Promise<boolean> {
    return (await this.#read(name)) !== undefined;
  }

  async list(): Promise<ClusterRecord[]> {
    const records: ClusterRecord[] = [];
    let start: Item | undefined;
    do {
      const page = await this.#client
        .send(new ScanCommand({ TableName: this.#tableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }))
        .catch((error: unknown) => {
          throw translated(error, 'listing the clusters', false);
        });
      for (const item of page.Items ?? []) {
        const record = this.#learn(item);
        if (record) records.push(record);
      }
      start = page.LastEvaluatedKey;
    } while (start);
    return records.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async put(record: Omit<ClusterRecord, 'version'>, expectedVersion: number): Promise<ClusterRecord> {
    const parsed = v.safeParse(StoredRecord, toStored(optionsToStored(record)));
    if (!parsed.success) throw new RangeError(`the record of the cluster ${record.name}: ${faultsOf(parsed.issues)}`);
    const version = expectedVersion + 1;
    await this.#update(record.name, {
      UpdateExpression: 'set #record = :record, #version = :version',
      ConditionExpression: expectedVersion === 0 ? 'attribute_not_exists(#version)' : '#version = :expected',
      ExpressionAttributeNames: { '#record': 'record', '#version': 'version' },
      ExpressionAttributeValues: {
        ':record': { S: JSON.stringify(parsed.output) },
        ':version': { N: String(version) },
        ...(expectedVersion > 0 && { ':expected': { N: String(expectedVersion) } }),
      },
    }).catch((error: unknown) => {
      const lost = lostCondition(error);
      if (!lost) throw translated(error, `writing the record of the cluster ${record.name}`, true);
      const current = lost.current ? this.#learn(lost.current) : this.#forget(record.name);
      throw new StaleWriteError<ClusterRecord>(
        `the record of the cluster ${record.name}: expected version ${expectedVersion}, found ${current?.version ?? 'none'}`,
        current,
      );
    });
    const written: ClusterRecord = { ...fromStored(optionsFromStored(parsed.output)), version };
    const known = this.#known.get(record.name);
    this.#known.set(record.name, { record: written, access: known?.access, readAtMs: known ? this.#clock.monotonicMs() : -Infinity });
    return structuredClone(written);
  }

  /** Registers how a cluster is reached; its record must be there. @throws TerminalError with every mistake in it */
  async putAccess(name: string, access: StoredAccess): Promise<void> {
    const asText = JSON.stringify(access);
    this.#checkedAccess(name, asText);
    await this.#update(name, {
      UpdateExpression: 'set #access = :access',
      ConditionExpression: 'attribute_exists(#version)',
      ExpressionAttributeNames: { '#access': 'access', '#version': 'version' },
      ExpressionAttributeValues: { ':access': { S: asText } },
    }).catch((error: unknown) => {
      if (lostCondition(error)) throw new TerminalError(`the cluster ${name} is not registered`, { cause: error });
      throw translated(error, `writing the access to the cluster ${name}`, true);
    });
    this.#known.delete(name);
  }

  /** Functions have no way to the cluster any more, ten seconds later at the latest; the record stays. */
  async removeAccess(name: string): Promise<void> {
    await this.#update(name, {
      UpdateExpression: 'remove #access',
      ConditionExpression: 'attribute_exists(#version)',
      ExpressionAttributeNames: { '#access': 'access', '#version': 'version' },
    }).catch((error: unknown) => {
      if (!lostCondition(error)) throw translated(error, `removing the access to the cluster ${name}`, true);
    });
    this.#known.delete(name);
  }

  /** Record and access. Functions take it for registered for ten seconds more. @returns false when there was none */
  async remove(name: string): Promise<boolean> {
    const { Attributes: item } = await this.#client
      .send(new DeleteItemCommand({ TableName: this.#tableName, Key: { name: { S: name } }, ReturnValues: 'ALL_OLD' }))
      .catch((error: unknown) => {
        throw translated(error, `removing the record of the cluster ${name}`, true);
      });
    this.#known.delete(name);
    return item !== undefined;
  }

  /** Of a cluster whose record this process has read: false for one that is being registered and has not come so far. */
  hasAccess(name: string): boolean {
    return this.#known.get(name)?.access !== undefined;
  }

  /** Of a cluster whose record this process has read. @throws TerminalError it has none, or an unusable one */
  accessOf(name: string): StoredAccess {
    const { access } = this.#known.get(name) ?? {};
    if (access === undefined) throw new TerminalError(`there is no access for the cluster ${name}: register it`);
    return this.#checkedAccess(name, access);
  }

  #checkedAccess(name: string, access: string): StoredAccess {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), this.#access), access);
    if (!parsed.success) throw new TerminalError(`the access to the cluster ${name} is not usable: ${faultsOf(parsed.issues)}`);
    return parsed.output;
  }

  async #read(name: string): Promise<Item | undefined> {
    const { Item: item } = await this.#client
      .send(new GetItemCommand({ TableName: this.#tableName, Key: { name: { S: name } }, ConsistentRead: true }))
      .catch((error: unknown) => {
        throw translated(error, `reading the record of the cluster ${name}`, false);
      });
    return item;
  }

  async #update(name: string, update: Omit<ConstructorParameters<typeof UpdateItemCommand>[0], 'TableName' | 'Key'>): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        TableName: this.#tableName,
        Key: { name: { S: name } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        ...update,
      }),
    );
  }

  #learn(item: Item): ClusterRecord | undefined {
    const name = item['name']?.S ?? '';
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), StoredRecord), item['record']?.S);
    if (!parsed.success || parsed.output.name !== name) {
      this.#onFault(name, parsed.success ? 'it is of another cluster' : faultsOf(parsed.issues));
      return this.#forget(name);
    }
    const record: ClusterRecord = { ...fromStored(optionsFromStored(parsed.output)), version: Number(item['version']?.N ?? 0) };
    this.#known.set(name, { record, access: item['access']?.S, readAtMs: this.#clock.monotonicMs() });
    return structuredClone(record);
  }

  #forget(name: string): undefined {
    this.#known.delete(name);
  }
}

const faultsOf = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues.map((issue) => `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`).join('; ');
