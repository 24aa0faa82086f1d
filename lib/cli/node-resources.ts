// Options of the commands that start a simulated node, for its resources.
import { InvalidArgumentError, Option } from 'commander';
import { isQuantity, parseQuantity } from '../objects/quantity.ts';

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

/** As the node takes them: what was not given is left to it. */
export const nodeResources = ({
  nodeCpu,
  nodeMemory,
}: {
  nodeCpu?: string | undefined;
  nodeMemory?: string | undefined;
}): { cpu?: string; memory?: string } => ({
  ...(nodeCpu !== undefined && { cpu: nodeCpu }),
  ...(nodeMemory !== undefined && { memory: nodeMemory }),
});
