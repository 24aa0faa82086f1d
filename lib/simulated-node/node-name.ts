/** What the simulated node is called unless told. */
export const SIMULATED_NODE = 'simulated-node';
