// Options of the commands that start a simulated node, for its size.
import { InvalidArgumentError, Option } from 'commander';
import { isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import type { SimulatedNodeOptions } from '../../simulated-node/simulated-node.ts';

/** Absent: the node's own default. */
export type NodeSize = Pick<SimulatedNodeOptions, 'cpu' | 'memory'>;

export interface NodeSizeOptions {
  nodeCpu?: string;
  nodeMemory?: string;
}

const quantityIn = (text: string): string => {
  if (!isQuantity(text) || parseQuantity(text).nanos <= 0n)
    throw new InvalidArgumentError('Expected a quantity above 0, as in 8, 500m or 32Gi.');
  return text;
};

export const nodeCpuOption = (): Option =>
  new Option('--node-cpu <quantity>', 'cpu of the simulated node, for the requests of its pods (default: 8)').argParser(quantityIn);

export const nodeMemoryOption = (): Option =>
  new Option('--node-memory <quantity>', 'memory of the simulated node, for the requests of its pods (default: 32Gi)').argParser(
    quantityIn,
  );

/** For `up`: of the simulated node, or by its name of a virtual one. */
export const sizeOrNamed = (what: 'cpu' | 'memory', usual: string): Option =>
  new Option(
    `--node-${what} <quantity>`,
    `${what} of the sandbox's simulated node, for the requests of its pods (default: ${usual}); as name=quantity that of a virtual node; may be given several times`,
  ).argParser((text: string, before: readonly string[] | undefined) => {
    const size = text.slice(text.indexOf('=') + 1);
    quantityIn(size);
    return [...(before ?? []), text];
  });

/** @returns the size of the simulated node, and the values that name virtual nodes, joined as options of kinds are */
export function splitSizes(given: readonly string[] = []): { size: string | undefined; named: string | undefined } {
  const named = given.filter((text) => text.includes('='));
  return { size: given.findLast((text) => !text.includes('=')), named: named.length > 0 ? named.join(' ') : undefined };
}

/** As the node takes them. */
export const nodeSizeOf = ({ nodeCpu, nodeMemory }: { [option in keyof NodeSizeOptions]: string | undefined }): NodeSize => ({
  ...(nodeCpu !== undefined && { cpu: nodeCpu }),
  ...(nodeMemory !== undefined && { memory: nodeMemory }),
});
