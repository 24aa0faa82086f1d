// What a node does not answer: a status and one sentence.

export class NodeRefusalError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'NodeRefusalError';
    this.status = status;
  }
}

/** InvalidInput, as the specification of the virtual node has it. */
export const badRequest = (message: string): NodeRefusalError => new NodeRefusalError(400, message);
