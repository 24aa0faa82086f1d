// Objects that the API server serves, reached by a pass.
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Deletion, Patch, PatchTarget, Reading } from '../../ports/cluster.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { PassContext } from './pass-context.ts';
import type { ResourceObjects } from './resource-children.ts';

export class ServedObjects implements ResourceObjects {
  protected readonly about: PassContext;
  readonly resource: Resource;
  /** Fields that are read of each answer; absent: whole objects. */
  readonly #reading: Reading;

  constructor(about: PassContext, resource: Resource, reading: Reading = {}) {
    this.about = about;
    this.resource = resource;
    this.#reading = reading;
  }

  async create(object: KubernetesObject): Promise<KubernetesObject> {
    return (await this.about.cluster.create<KubernetesObject>(this.resource, object, this.about.deadline, this.#reading)).object;
  }

  async patch({ namespace, name, uid }: PatchTarget, patch: Patch): Promise<KubernetesObject> {
    const target = { namespace, name, uid };
    return (await this.about.cluster.patch<KubernetesObject>(this.resource, target, patch, this.about.deadline, this.#reading)).object;
  }

  async delete(target: Deletion): Promise<KubernetesObject | undefined> {
    return (await this.about.cluster.delete<KubernetesObject>(this.resource, target, this.about.deadline, this.#reading)).object;
  }

  async get(name: string): Promise<KubernetesObject | undefined> {
    const { namespace } = this.about.key;
    try {
      return (await this.about.cluster.get<KubernetesObject>(this.resource, { namespace, name }, this.about.deadline, this.#reading))
        .object;
    } catch (error) {
      if (isNotServed(error)) return undefined;
      throw error;
    }
  }
}

/** There is no such object, or the API server serves no such resource. */
export const isNotServed = (error: unknown): boolean =>
  error instanceof NotFoundError || (error instanceof TerminalError && error.code === 404);
