/** The default name of the simulated node. */
export const SIMULATED_NODE = 'simulated-node';
